import { describe, expect, test } from "@jest/globals";
import type { ConversationChange } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness } from "../../service-harness.ts";
import { untilBlocked } from "../../until-blocked.ts";
import { UNKNOWN_ID, refusalToken, conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const model = (changes: string | null | undefined) =>
  (JSON.parse(changes ?? "null") as { model_changes: object } | null)?.model_changes;

test("GET /conversations/{conversation_id} answers 200 without messages and users", async () => {
  const { conversation_id, messages: _, ...created } = await s.createConversation();
  const found = await s.getConversation(conversation_id);
  expect(found).toEqual({ conversation_id, ...created });
  expect(found).not.toHaveProperty("users");
});

test("GET /conversations/{conversation_id} finds an id regardless of case", async () => {
  const { conversation_id } = await s.createConversation();
  expect(await s.getConversation(conversation_id.toUpperCase())).toMatchObject({ conversation_id });
});

test("GET /conversations/{conversation_id} refuses an unknown id, a malformed id and another account's with CONVERSATION_NOT_FOUND", async () => {
  const { conversation_id } = await s.createConversation();
  const theirs = s.solo.conversations.getConversation({ params: { conversation_id } });
  const refused = await Promise.all([s.getConversation(UNKNOWN_ID), s.getConversation("12"), theirs].map(refusalToken));
  expect(new Set(refused)).toEqual(new Set(["CONVERSATION_NOT_FOUND"]));
});

test("PUT /conversations/{conversation_id} answers 200 with the conversation's state after each step", async () => {
  const { conversation_id: id, messages, conversation_internal_id } = await s.createConversation();
  const olivia = s.agentNamed("Olivia").id;
  expect(await s.updateConversation(id, { status: "assigned", assigned_group_id: s.groupIdOf("Sales") })).toMatchObject(
    {
      status: "new",
      assigned_group_id: s.groupIdOf("Sales"),
    },
  );
  expect(await s.updateConversation(id, { status: "assigned", assigned_agent_id: olivia })).toMatchObject({
    status: "assigned",
    assigned_agent_id: olivia,
    assigned_group_id: s.groupIdOf("Sales"),
  });
  const resolved = await s.updateConversation(id, { status: "resolved" });
  expect(await refusalToken(s.updateConversation(id, { status: "reopened", assigned_agent_id: olivia }))).toBe(
    "INVALID_VALUE",
  );
  expect(resolved).toMatchObject({ status: "resolved", assigned_agent_id: olivia });
  const reopened = await s.updateConversation(id, { status: "reopened", assigned_group_id: s.groupIdOf("Billing") });
  expect(reopened).toMatchObject({ status: "new", assigned_group_id: s.groupIdOf("Billing") });
  expect(reopened).not.toHaveProperty("assigned_agent_id");
  expect(await s.getConversation(id)).toEqual(reopened);

  const stored = await s.listMessages(id);
  expect(
    stored.map(({ actor_type, message_type, message_source, meta_data }) => ({
      actor_type,
      message_type,
      message_source,
      meta_data,
    })),
  ).toEqual([
    { actor_type: "user", message_type: "normal", message_source: "api" },
    { actor_type: "system", message_type: "system", message_source: "system", meta_data: { isResolved: true } },
    { actor_type: "system", message_type: "system", message_source: "system", meta_data: { isReopen: true } },
  ]);
  expect(stored[1]?.interaction_id).toBe(messages[0]?.interaction_id);
  expect(stored[2]?.interaction_id).not.toBe(messages[0]?.interaction_id);
  expect(stored[2]?.interaction_id).toMatch(new RegExp(`^${conversation_internal_id}-\\d{13}$`));
});

test("PUT /conversations/{conversation_id} has one event per change, with old and new values, before the event of its message", async () => {
  const { conversation_id: id } = await s.createConversation();
  const olivia = s.agentNamed("Olivia").id;
  await s.updateConversation(id, { assigned_agent_id: olivia });
  await s.updateConversation(id, { assigned_agent_id: olivia });
  await s.updateConversation(id, { status: "resolved" });
  await s.updateConversation(id, { status: "resolved" });
  await s.updateConversation(id, { properties: { priority: "Urgent" } });
  await s.updateConversation(id, { status: "reopened" });
  await s.updateConversation(id, {});
  const stored = await s.listMessages(id);
  const events = (await s.loggedEvents(id)).slice(2);
  expect(
    events.map(({ kind, changes, message_id, actor_type, conversation_revision }) => [
      kind,
      conversation_revision,
      actor_type,
      model(changes) ?? message_id,
    ]),
  ).toEqual([
    ["conversation_update", 2, "system", { status: ["new", "assigned"], assigned_agent_id: [null, olivia] }],
    ["conversation_update", 3, "system", { status: ["assigned", "resolved"] }],
    ["message_create", 3, "system", stored[1]?.id],
    ["conversation_update", 5, "system", { status: ["resolved", "new"], assigned_agent_id: [olivia, null] }],
    ["message_create", 5, "system", stored[2]?.id],
  ]);
});

test("PUT /conversations/{conversation_id} ignores members that can't be updated", async () => {
  const { conversation_id: id, channel_id } = await s.createConversation();
  const before = await s.getConversation(id);
  const change = { channel_id: UNKNOWN_ID, assigned_org_agent_id: UNKNOWN_ID, assigned_org_group_id: UNKNOWN_ID };
  expect(await s.updateConversation(id, change)).toEqual(before);
  expect((await s.getConversation(id)).channel_id).toBe(channel_id);
});

test("PUT /conversations/{conversation_id} keeps an agent who has been deactivated, and refuses to assign that agent", async () => {
  const { id } = s.agentNamed("Noah");
  const [his, other] = [await s.createConversation({ assigned_agent_id: id }), await s.createConversation()];
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(statement("", "update agents set is_deactivated = true where id = $1"), [id]);
  s.expireCaches();
  const change = { status: "resolved", assigned_agent_id: id } as const;
  expect(await s.updateConversation(his.conversation_id, change)).toMatchObject(change);
  expect(await refusalToken(s.updateConversation(other.conversation_id, change))).toBe("INVALID_VALUE");
});

test("PUT /conversations/{conversation_id} sets and removes properties", async () => {
  const { conversation_id: id } = await s.createConversation({
    properties: { cf_order_number: "A1", cf_source_campaign: "Spring" },
  });
  const change = { cf_order_number: "", cf_products: ["Lamps"], priority: "High" };
  expect((await s.updateConversation(id, { properties: change })).properties).toEqual({
    priority: "High",
    cf_products: ["Lamps"],
    cf_source_campaign: "Spring",
  });
});

test("PUT /conversations/{conversation_id} 200 with reopened leaves an open conversation as it is", async () => {
  const { conversation_id: id } = await s.createConversation();
  const assigned_agent_id = s.agentNamed("Olivia").id;
  for (const change of [{}, { status: "assigned", assigned_agent_id }] as const) {
    const before = await s.updateConversation(id, change);
    const messages = await s.listMessages(id);
    expect(await s.updateConversation(id, { status: "reopened" })).toEqual(before);
    expect(await s.listMessages(id)).toEqual(messages);
  }
});

describe("PUT /conversations/{conversation_id} refuses", () => {
  test.each<[string, ConversationChange | (() => ConversationChange)]>([
    [
      "PUT /conversations/{conversation_id} refuses an unknown agent with AGENT_NOT_FOUND",
      { status: "assigned", assigned_agent_id: UNKNOWN_ID },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent that is not an id with AGENT_NOT_FOUND",
      { assigned_agent_id: "Olivia" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an unknown group with GROUP_NOT_FOUND",
      { assigned_group_id: UNKNOWN_ID },
    ],
    [
      "PUT /conversations/{conversation_id} refuses a deactivated agent with INVALID_VALUE",
      () => ({ assigned_agent_id: s.agentNamed("Tom").id }),
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent outside the group with AGENT_NOT_IN_GROUP",
      () => ({ status: "assigned", assigned_agent_id: s.agentNamed("Hannah").id }),
    ],
    [
      "PUT /conversations/{conversation_id} refuses the status assigned without an agent with MISSING_PARAMETER",
      { status: "assigned" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent with the status new with INVALID_VALUE",
      () => ({ status: "new", assigned_agent_id: s.agentNamed("Diego").id }),
    ],
    [
      "PUT /conversations/{conversation_id} refuses a status that there is not with INVALID_VALUE",
      { status: "closed" as "new" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses a choice that there is not with INVALID_PROPERTY",
      { properties: { priority: "Extreme" } },
    ],
    [
      "PUT /conversations/{conversation_id} refuses to change a fixed property with INVALID_PROPERTY",
      { properties: { cf_source_campaign: "x" } },
    ],
    [
      "PUT /conversations/{conversation_id} refuses a resolution without a required property with PROPERTY_REQUIRED",
      { status: "resolved", properties: { priority: "" } },
    ],
  ])("%s", async (title, change) => {
    const { conversation_id } = await s.createConversation({
      assigned_agent_id: s.agentNamed("Diego").id,
      assigned_group_id: s.groupIdOf("Sales"),
    });
    const before = await s.getConversation(conversation_id);
    expect(
      await refusalToken(s.updateConversation(conversation_id, typeof change === "function" ? change() : change)),
    ).toBe(title.split(" ").at(-1));
    expect(await s.getConversation(conversation_id)).toEqual(before);
  });

  test("PUT /conversations/{conversation_id} refuses an unknown id with CONVERSATION_NOT_FOUND", async () => {
    expect(await refusalToken(s.updateConversation(UNKNOWN_ID, { status: "resolved" }))).toBe("CONVERSATION_NOT_FOUND");
  });

  test("PUT /conversations/{conversation_id} refuses the second of two concurrent requests with CONFLICT, without any effect", async () => {
    const { conversation_id: id } = await s.createConversation();
    const [olivia, maya] = [s.agentNamed("Olivia").id, s.agentNamed("Maya").id];
    const other = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder });
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    const responses = await pool.transaction(async (tx) => {
      // Writers have to wait here, so that both read the same revision.
      await tx.rows(statement("", "select from conversations where id = $1 for update"), [id]);
      const first = s.updateConversation(id, { assigned_agent_id: olivia });
      await untilBlocked(tx);
      // By another process, since one process performs the changes of a conversation in turn.
      const second = refusalToken(
        other.client.conversations.updateConversation({
          params: { conversation_id: id },
          body: { assigned_agent_id: maya },
        }),
      );
      await untilBlocked(tx, 2);
      return { first, second };
    });
    expect(await responses.first).toMatchObject({ assigned_agent_id: olivia });
    expect(await responses.second).toBe("CONFLICT");
    await other.close();
    expect(await s.getConversation(id)).toMatchObject({ assigned_agent_id: olivia });
    expect((await s.loggedEvents(id)).filter(({ kind }) => kind === "conversation_update")).toHaveLength(1);
  });
});

test("concurrent messages and updates keep one order of revisions and interactions", async () => {
  const { conversation_id: id, user_id } = await s.createConversation();
  const calls = Array.from({ length: 30 }, (_, index) => [
    s.createMessage(id, { actor_type: "user", actor_id: user_id, message_parts: textParts(`${index}`) }),
    s.updateConversation(id, { status: index % 2 ? "resolved" : "new" }).catch(() => undefined),
  ]).flat();
  await Promise.all(calls);
  const stored = await s.listMessages(id);
  const events = await s.loggedEvents(id);
  expect(events.filter(({ kind }) => kind === "message_create").map(({ message_id }) => message_id)).toEqual(
    stored.map((message) => message.id),
  );
  const revisions = events.map(({ conversation_revision }) => conversation_revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  const started = stored.filter(({ meta_data }) => meta_data?.["isReopen"]).length;
  expect(new Set(stored.map(({ interaction_id }) => interaction_id)).size).toBe(1 + started);
});
