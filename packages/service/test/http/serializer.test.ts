import { expect, test } from "@jest/globals";
import { Conversation, Message, type MessagePart, User } from "@parley/contract";
import fc from "fast-check";
import { serializerOf } from "../../src/http/serializer.ts";

const message: Message = {
  id: "m",
  created_time: "2026-01-31T12:00:00.000Z",
  app_id: "a",
  channel_id: "c",
  conversation_id: "v",
  interaction_id: "1-2",
  freshchat_conversation_id: "1",
  freshchat_channel_id: "2",
  actor_type: "agent",
  message_type: "normal",
  message_parts: [{ text: { content: 'quote " line \n end' } }],
  reply_parts: [
    {
      template_content: {
        type: "carousel",
        sections: [{ name: "cards", parts: [{ collection: { sub_parts: [{ image: { url: "u" } }] } }] }],
      },
    },
  ],
  meta_data: { isReopen: true, nested: { list: [1, null] } },
};

test("a message keeps every member that the contract names, at any depth of its parts", () => {
  expect(JSON.parse(serializerOf(Message)(message))).toEqual(message);
});

test("members that the contract does not name are omitted, at any depth", () => {
  const part = { text: { content: "x", secret: 1 }, secret: 2 } as MessagePart;
  const soiled = { ...message, secret: 3, message_parts: [part, { collection: { sub_parts: [part] } }] };
  const text = serializerOf(Message)(soiled);
  expect(text).not.toContain("secret");
  expect(text).not.toContain("$");
});

test("a conversation's properties are texts and lists of texts", () => {
  const conversation: Conversation = {
    conversation_id: "v",
    conversation_internal_id: 1,
    freshchat_conversation_id: "1",
    channel_id: "c",
    app_id: "a",
    status: "new",
    user_id: "u",
    url: "https://acme.parley.localhost",
    created_time: message.created_time,
    updated_time: message.created_time,
    properties: { priority: "Low", cf_list: ["a", "b"] },
  };
  expect(JSON.parse(serializerOf(Conversation)(conversation))).toEqual(conversation);
});

test("any text is serialized as by JSON.stringify", () => {
  const serialize = serializerOf(User);
  const user = { id: "u", created_time: "t", updated_time: "t", login_status: false };
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (first_name, last_name) => {
      expect(JSON.parse(serialize({ ...user, first_name, last_name }))).toEqual({ ...user, first_name, last_name });
    }),
  );
});
