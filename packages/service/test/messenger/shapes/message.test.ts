import { describe, expect, test } from "@jest/globals";
import { MessengerMessage, type Message, type MessagePart } from "@parley/contract";
import fc from "fast-check";
import { Check } from "typebox/value";
import { serializerOf } from "../../../src/http/serializer.ts";
import { createMessengerShapes, isShownToVisitor, ownMessage } from "../../../src/messenger/shapes/message.ts";

/** Begins every text that a visitor must not see. */
const PRIVATE = "private-";
const privateText = fc.string().map((text) => PRIVATE + text);
const privatePairs = fc.dictionary(
  privateText,
  fc.oneof(privateText, fc.boolean(), fc.dictionary(privateText, privateText)),
);

const AGENT_ID = "0b9de5c4-52b8-4aac-8ad0-7b1a3a3b1f6e";
const shapes = createMessengerShapes({
  directory: {
    agent: async (_, id) =>
      id === AGENT_ID
        ? {
            id: `${PRIVATE}id`,
            internal_id: 77_001,
            email: `${PRIVATE}@acme.example`,
            first_name: "Olivia",
            last_name: `${PRIVATE}surname`,
            avatar_url: "https://pictures.example/olivia.png",
            groups: [`${PRIVATE}group`],
            is_deactivated: false,
            org_contact_id: `${PRIVATE}contact`,
          }
        : undefined,
  },
});
const toJson = serializerOf(MessengerMessage);

const part: fc.Arbitrary<MessagePart> = fc.oneof(
  fc.string().map((content) => ({ text: { content } })),
  fc.webUrl().map((url) => ({ image: { url } })),
  fc.webUrl().map((url) => ({ url_button: { url, label: "Open" } })),
  fc.string().map((label) => ({ collection: { sub_parts: [{ quick_reply_button: { label } }] } })),
  fc.string().map((content) => ({ help_text: { content } })),
);
const parts = fc.array(part, { maxLength: 4 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Any message that can be stored, with members of later releases and of other services. */
const stored: fc.Arbitrary<Message> = fc
  .record({
    id: fc.uuid(),
    created_time: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString()),
    app_id: privateText,
    org_actor_id: optional(privateText),
    channel_id: privateText,
    conversation_id: fc.uuid(),
    interaction_id: privateText,
    freshchat_conversation_id: privateText,
    freshchat_channel_id: privateText,
    user_id: optional(privateText),
    actor_type: fc.constantFrom("user", "agent", "bot", "system"),
    actor_id: optional(fc.oneof(privateText, fc.constant(AGENT_ID))),
    message_type: fc.constantFrom("normal", "private", "system"),
    message_parts: parts,
    reply_parts: optional(parts),
    meta_data: optional(fc.oneof(privatePairs, fc.constantFrom({ isResolved: true }, { isReopen: true }))),
    in_reply_to: optional(fc.record({ message_id: fc.uuid(), other: privateText })),
    restrictResponse: optional(fc.boolean()),
    botsPrivateNote: optional(fc.boolean()),
    isBotsInput: optional(fc.boolean()),
    message_source: optional(privateText),
    error_message: optional(privateText),
  })
  .chain((message) => fc.dictionary(privateText, privateText).map((more) => ({ ...more, ...message })));

test("any stored message is shown with nothing but the members of the contract", async () => {
  await fc.assert(
    fc.asyncProperty(stored, async (message) => {
      const shape = await shapes.message(1, message);
      expect(shape !== undefined).toBe(isShownToVisitor(message));
      if (!shape) return;
      const json = JSON.parse(toJson(shape)) as unknown;
      expect(json).toEqual(JSON.parse(JSON.stringify(shape)));
      expect(Check(MessengerMessage, json)).toBe(true);
      expect(JSON.stringify(json)).not.toContain(PRIVATE);
      expect(JSON.stringify(json)).not.toContain(AGENT_ID);
      expect([shape.message_parts, shape.reply_parts]).toEqual([message.message_parts, message.reply_parts]);
    }),
  );
});

test("any message of the visitor is shown with nothing but the members of the contract", () => {
  fc.assert(
    fc.property(stored, (message) => {
      const json = toJson(ownMessage(message));
      expect(Check(MessengerMessage, JSON.parse(json))).toBe(true);
      expect(json).not.toContain(PRIVATE);
    }),
  );
});

describe("whether a visitor sees a message:", () => {
  test.each([
    ["a normal message", { message_type: "normal" }, true],
    ["a private note", { message_type: "private" }, false],
    ["a bot's private note", { message_type: "private", botsPrivateNote: true }, false],
    ["an imported private note of a bot", { message_type: "normal", botsPrivateNote: true }, false],
    ["the system message about a resolution", { message_type: "system", meta_data: { isResolved: true } }, true],
    ["the system message about a reopening", { message_type: "system", meta_data: { isReopen: true } }, true],
    ["another system message", { message_type: "system" }, false],
    [
      "a system message that is marked with another value",
      { message_type: "system", meta_data: { isResolved: "1" } },
      false,
    ],
    [
      "a private note that is marked as a resolution",
      { message_type: "private", meta_data: { isResolved: true } },
      false,
    ],
    ["a message of a type of a later release", { message_type: "later" }, false],
  ])("%s", (_, message, expected) => {
    expect(isShownToVisitor(message as Message)).toBe(expected);
  });
});

test.each([
  ["an https address", "https://pictures.example/a.png", true],
  ["a small picture in the address", "data:image/png;base64,iVBORw0KGgo=", true],
  ["code", "javascript:alert(1)", false],
  ["a document in the address", "data:text/html,<script>alert(1)</script>", false],
  ["SVG in the address", "data:image/svg+xml,<svg/>", false],
  ["a path", "/console/api/pictures", false],
])("the picture of an agent: %s", async (_, avatar_url, isShown) => {
  const own = createMessengerShapes({
    directory: {
      agent: () =>
        Promise.resolve({ id: AGENT_ID, internal_id: 1, email: "", groups: [], is_deactivated: false, avatar_url }),
    },
  });
  expect(await own.agent(1, AGENT_ID)).toEqual({ type: "agent", ...(isShown && { avatar_url }) });
});

test("an agent who was deleted is an agent without a name", async () => {
  expect(await shapes.agent(1, "unknown")).toEqual({ type: "agent" });
});
