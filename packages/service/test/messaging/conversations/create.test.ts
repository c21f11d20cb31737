import { describe, expect, test } from "@jest/globals";
import type { NewConversation } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { untilBlocked } from "../../until-blocked.ts";
import {
  messageRefusalToken,
  UNKNOWN_ID,
  refusalToken,
  conversationsHarness,
  textParts,
} from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test("POST /conversations answers 202 with the conversation and its messages", async () => {
  const { id } = await s.createUser();
  const created = await s.client.conversations.createConversation({
    body: {
      channel_id: s.channel.id,
      users: [{ id }],
      messages: [
        { actor_type: "user", actor_id: id, message_parts: textParts("Hi") },
        { actor_type: "bot", message_parts: textParts("Hello") },
      ],
    },
  });
  const { account_id: _, app_id } = await s.client.accounts.getConfiguration();
  const { conversation_id, conversation_internal_id, messages } = created;
  expect(created).toEqual({
    conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    conversation_internal_id: expect.any(Number),
    freshchat_conversation_id: String(conversation_internal_id),
    skill_id: 0,
    channel_id: s.channel.id,
    app_id,
    status: "new",
    properties: { priority: "Low" },
    user_id: id,
    // On this machine, the origin that links to sign in have.
    url: `http://localhost:${new URL(s.url).port}/conversations/${conversation_id}`,
    created_time: iso,
    updated_time: iso,
    messages: [expect.anything(), expect.anything()],
  });
  expect(messages[0]).toEqual({
    freshchat_conversation_id: String(conversation_internal_id),
    freshchat_channel_id: expect.stringMatching(/^\d+$/),
    restrictResponse: false,
    botsPrivateNote: false,
    isBotsInput: false,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_time: created.created_time,
    app_id,
    actor_type: "user",
    actor_id: id,
    user_id: id,
    channel_id: s.channel.id,
    conversation_id,
    interaction_id: expect.stringMatching(new RegExp(`^${conversation_internal_id}-\\d{13}$`)),
    message_type: "normal",
    message_source: "api",
    message_parts: textParts("Hi"),
  });
  expect(messages[1]).not.toHaveProperty("actor_id");
  expect(await s.listMessages(conversation_id)).toEqual(messages);
  const { messages: __, ...conversation } = created;
  expect(await s.getConversation(conversation_id)).toEqual(conversation);
});

describe("POST /conversations creates a conversation", () => {
  test.each<[string, () => Partial<NewConversation>, () => object]>([
    [
      "as assigned with an agent",
      () => ({ assigned_agent_id: s.agentNamed("Olivia").id }),
      () => ({
        status: "assigned",
        assigned_agent_id: s.agentNamed("Olivia").id,
        assigned_org_agent_id: s.agentNamed("Olivia").org_contact_id,
      }),
    ],
    [
      "as assigned with an agent and the status new",
      () => ({ status: "new", assigned_agent_id: s.agentNamed("Olivia").id }),
      () => ({ status: "assigned", assigned_agent_id: s.agentNamed("Olivia").id }),
    ],
    [
      "as new with a group",
      () => ({ status: "assigned", assigned_group_id: s.groupIdOf("Sales") }),
      () => ({ status: "new", assigned_group_id: s.groupIdOf("Sales") }),
    ],
    [
      "with organization-level ids, as those of the same agent and group",
      () => ({
        assigned_org_agent_id: s.agentNamed("Diego").org_contact_id,
        assigned_org_group_id: s.agentNamed("Diego").masterid_group_ids?.[0],
      }),
      () => ({
        status: "assigned",
        assigned_agent_id: s.agentNamed("Diego").id,
        assigned_group_id: s.groupIdOf("Sales"),
      }),
    ],
    [
      "with the properties given",
      () => ({ properties: { priority: "High", cf_products: ["Lamps", "Chairs"], cf_source_campaign: "Spring" } }),
      () => ({ properties: { priority: "High", cf_products: ["Lamps", "Chairs"], cf_source_campaign: "Spring" } }),
    ],
  ])("%s", async (_title, more, expected) => {
    const created = await s.createConversation(more());
    expect(created).toMatchObject(expected());
    expect(await s.getConversation(created.conversation_id)).toMatchObject(expected());
  });

  test("that is resolved, with a system message that states it", async () => {
    const { status, messages } = await s.createConversation({ status: "resolved" });
    expect(status).toBe("resolved");
    expect(
      messages.map(({ actor_type, message_type, meta_data }) => ({ actor_type, message_type, meta_data })),
    ).toEqual([
      { actor_type: "user", message_type: "normal" },
      { actor_type: "system", message_type: "system", meta_data: { isResolved: true } },
    ]);
  });

  test("with its creation event before the events of its messages, and names the last message", async () => {
    const { id } = await s.createUser();
    const { conversation_id, messages } = await s.createConversation({
      users: [{ id }],
      messages: [
        { actor_type: "user", actor_id: id, message_parts: textParts("1") },
        { actor_type: "bot", message_parts: textParts("2") },
        { actor_type: "user", actor_id: id, message_parts: textParts("3") },
      ],
    });
    const same = { user_revision: 1, conversation_revision: 1, changes: null };
    expect(await s.loggedEvents(conversation_id)).toEqual([
      { kind: "conversation_create", actor_type: "user", actor_id: id, message_id: messages[2]?.id, ...same },
      { kind: "message_create", actor_type: "user", actor_id: id, message_id: messages[0]?.id, ...same },
      { kind: "message_create", actor_type: "bot", actor_id: null, message_id: messages[1]?.id, ...same },
      { kind: "message_create", actor_type: "user", actor_id: id, message_id: messages[2]?.id, ...same },
    ]);
  });
});

test("conversations that many clients create concurrently have their own messages and numbers", async () => {
  const created = await Promise.all(Array.from({ length: 100 }, () => s.createConversation()));
  expect(new Set(created.map(({ conversation_internal_id }) => conversation_internal_id)).size).toBe(100);
  for (const { conversation_id, user_id, messages } of created) {
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ conversation_id, user_id, actor_id: user_id });
    expect(await s.listMessages(conversation_id)).toEqual(messages);
  }
});

describe("POST /conversations refuses", () => {
  test.each<[string, () => Partial<NewConversation>]>([
    ["POST /conversations refuses an unknown channel with CHANNEL_NOT_FOUND", () => ({ channel_id: UNKNOWN_ID })],
    ["POST /conversations refuses a channel that is not an id with CHANNEL_NOT_FOUND", () => ({ channel_id: "Inbox" })],
    ["POST /conversations refuses an unknown agent with AGENT_NOT_FOUND", () => ({ assigned_agent_id: UNKNOWN_ID })],
    [
      "POST /conversations refuses an unknown organization-level agent with AGENT_NOT_FOUND",
      () => ({ assigned_org_agent_id: UNKNOWN_ID }),
    ],
    ["POST /conversations refuses an unknown group with GROUP_NOT_FOUND", () => ({ assigned_group_id: UNKNOWN_ID })],
    [
      "POST /conversations refuses an unknown organization-level group with GROUP_NOT_FOUND",
      () => ({ assigned_org_group_id: "x" }),
    ],
    [
      "POST /conversations refuses a deactivated agent with INVALID_VALUE",
      () => ({ assigned_agent_id: s.agentNamed("Tom").id }),
    ],
    [
      "POST /conversations refuses an agent outside the group with AGENT_NOT_IN_GROUP",
      () => ({ assigned_agent_id: s.agentNamed("Kenji").id, assigned_group_id: s.groupIdOf("Sales") }),
    ],
    [
      "POST /conversations refuses the status assigned without an agent with MISSING_PARAMETER",
      () => ({ status: "assigned" }),
    ],
    [
      "POST /conversations refuses an unknown property with INVALID_PROPERTY",
      () => ({ properties: { cf_shoe: "44" } }),
    ],
    [
      "POST /conversations refuses to begin as resolved without a required property with PROPERTY_REQUIRED",
      () => ({ status: "resolved", properties: { priority: "" } }),
    ],
  ])("%s", async (title, more) => {
    expect(await refusalToken(s.createConversation(more()))).toBe(title.split(" ").at(-1));
  });

  test.each<[string, () => Partial<NewConversation>]>([
    [
      "POST /conversations refuses an unknown user with USER_NOT_FOUND",
      () => ({ users: [{ id: UNKNOWN_ID }], messages: [{ actor_type: "bot", message_parts: textParts("Hi") }] }),
    ],
    ["POST /conversations refuses a user that is not an id with USER_NOT_FOUND", () => ({ users: [{ id: "me" }] })],
  ])("%s", async (title, more) => {
    expect(await refusalToken(s.createConversation(more()))).toBe(title.split(" ").at(-1));
  });

  test.each<[string, () => NewConversation["messages"]]>([
    [
      "POST /conversations refuses all of it for one bad part with INVALID_MESSAGE_PARTS",
      () => [
        { actor_type: "bot", message_parts: textParts("Hi") },
        { actor_type: "bot", message_parts: [{ quick_reply_button: { label: "Yes" } }] },
      ],
    ],
    [
      "POST /conversations refuses an unknown agent's message with AGENT_NOT_FOUND",
      () => [{ actor_type: "agent", actor_id: UNKNOWN_ID, message_parts: textParts("Hi") }],
    ],
    [
      "POST /conversations refuses another user's message with INVALID_ACTOR",
      () => [{ actor_type: "user", actor_id: UNKNOWN_ID, message_parts: textParts("Hi") }],
    ],
    [
      "POST /conversations refuses a reply to any message with INVALID_REPLY_TARGET",
      () => [{ actor_type: "bot", message_parts: textParts("Hi"), in_reply_to: { message_id: UNKNOWN_ID } }],
    ],
  ])("%s", async (title, messages) => {
    expect(await messageRefusalToken(s.createConversation({ messages: messages() }))).toBe(title.split(" ").at(-1));
  });

  test("POST /conversations names the message whose reply refers to none", async () => {
    const message = { actor_type: "bot" as const, message_parts: textParts("Hi") };
    const messages = [message, { ...message, in_reply_to: { message_id: UNKNOWN_ID } }];
    await expect(s.createConversation({ messages })).rejects.toMatchObject({
      problem: { message: "messages[1].in_reply_to names no message: the conversation is only beginning." },
    });
  });

  test("POST /conversations refuses a deleted user with USER_NOT_FOUND", async () => {
    const { id } = await s.createUser();
    await s.client.users.deleteUser({ params: { user_id: id } });
    const messages: NewConversation["messages"] = [
      { actor_type: "user", actor_id: id, message_parts: textParts("Hi") },
    ];
    expect(await refusalToken(s.createConversation({ users: [{ id }], messages }))).toBe("USER_NOT_FOUND");
  });

  test("POST /conversations refuses a user who is being deleted with USER_NOT_FOUND", async () => {
    const { id } = await s.createUser();
    const messages: NewConversation["messages"] = [
      { actor_type: "user", actor_id: id, message_parts: textParts("Hi") },
    ];
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    const { refused } = await pool.transaction(async (tx) => {
      await tx.rows(statement("", "select from users where id = $1 for update"), [id]);
      const refused = refusalToken(s.createConversation({ users: [{ id }], messages }));
      await untilBlocked(tx);
      await tx.rows(statement("", "update users set deleted_time = now() where id = $1"), [id]);
      return { refused };
    });
    expect(await refused).toBe("USER_NOT_FOUND");
  });

  test("POST /conversations refuses a body without messages, without a user and without a channel", async () => {
    const responses = [{ messages: [] }, { users: [] }, { channel_id: undefined }].map(async (more) => {
      const body: Record<string, unknown> = { channel_id: s.channel.id, users: [{ id: UNKNOWN_ID }], ...more };
      const headers = { "content-type": "application/json" };
      return (await s.raw("POST", "/v2/conversations", { body: JSON.stringify(body), headers })).status;
    });
    expect(await Promise.all(responses)).toEqual([400, 400, 400]);
  });

  test("POST /conversations refuses properties of a stand-alone account with INVALID_PROPERTY", async () => {
    const user = await s.solo.users.createUser({ body: {} });
    const { channels } = await s.solo.channels.listChannels();
    const body: NewConversation = {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: textParts("Hi") }],
    };
    const create = (properties?: NewConversation["properties"]) =>
      s.solo.conversations.createConversation({ body: { ...body, properties } });
    expect(await refusalToken(create({ priority: "Low" }))).toBe("INVALID_PROPERTY");
    expect(await create()).not.toHaveProperty("properties");
    // Another account's objects are unknown here.
    expect(
      await refusalToken(
        s.createConversation({
          users: [{ id: user.id }],
          messages: [{ actor_type: "bot", message_parts: textParts("Hi") }],
        }),
      ),
    ).toBe("USER_NOT_FOUND");
  });
});
