import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import type { ConversationChange } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../src/index.ts";
import { NOBODY, refusal, scene, type Scene, text } from "./conversations-harness.ts";

let s: Scene;
beforeAll(async () => {
  s = await scene();
});
afterAll(() => s.close());

const model = (changes: string | null | undefined) =>
  (JSON.parse(changes ?? "null") as { model_changes: object } | null)?.model_changes;

test("GET /conversations/{conversation_id} answers 200 without messages and users", async () => {
  const { conversation_id, messages: _, ...created } = await s.begin();
  const found = await s.get(conversation_id);
  expect(found).toEqual({ conversation_id, ...created });
  expect(found).not.toHaveProperty("users");
});

test("GET /conversations/{conversation_id} finds an id regardless of case", async () => {
  const { conversation_id } = await s.begin();
  expect(await s.get(conversation_id.toUpperCase())).toMatchObject({ conversation_id });
});

test("GET /conversations/{conversation_id} refuses an unknown id, a malformed id and another account's with CONVERSATION_NOT_FOUND", async () => {
  const { conversation_id } = await s.begin();
  const theirs = s.solo.conversations.getConversation({ params: { conversation_id } });
  const refused = await Promise.all([s.get(NOBODY), s.get("12"), theirs].map(refusal));
  expect(new Set(refused)).toEqual(new Set(["CONVERSATION_NOT_FOUND"]));
});

test("PUT /conversations/{conversation_id} answers 200 with the conversation's state after each step", async () => {
  const { conversation_id: id, messages, conversation_internal_id } = await s.begin();
  const olivia = s.agent("Olivia").id;
  expect(await s.put(id, { status: "assigned", assigned_group_id: s.group("Sales") })).toMatchObject({
    status: "new",
    assigned_group_id: s.group("Sales"),
  });
  expect(await s.put(id, { status: "assigned", assigned_agent_id: olivia })).toMatchObject({
    status: "assigned",
    assigned_agent_id: olivia,
    assigned_group_id: s.group("Sales"),
  });
  const resolved = await s.put(id, { status: "resolved" });
  expect(await refusal(s.put(id, { status: "reopened", assigned_agent_id: olivia }))).toBe("INVALID_VALUE");
  expect(resolved).toMatchObject({ status: "resolved", assigned_agent_id: olivia });
  const reopened = await s.put(id, { status: "reopened", assigned_group_id: s.group("Billing") });
  expect(reopened).toMatchObject({ status: "new", assigned_group_id: s.group("Billing") });
  expect(reopened).not.toHaveProperty("assigned_agent_id");
  expect(await s.get(id)).toEqual(reopened);

  const said = await s.said(id);
  expect(
    said.map(({ actor_type, message_type, message_source, meta_data }) => ({
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
  expect(said[1]?.interaction_id).toBe(messages[0]?.interaction_id);
  expect(said[2]?.interaction_id).not.toBe(messages[0]?.interaction_id);
  expect(said[2]?.interaction_id).toMatch(new RegExp(`^${conversation_internal_id}-\\d{13}$`));
});

test("PUT /conversations/{conversation_id} has one event per change, with old and new values, before the event of its message", async () => {
  const { conversation_id: id } = await s.begin();
  const olivia = s.agent("Olivia").id;
  await s.put(id, { assigned_agent_id: olivia });
  await s.put(id, { assigned_agent_id: olivia });
  await s.put(id, { status: "resolved" });
  await s.put(id, { status: "resolved" });
  await s.put(id, { properties: { priority: "Urgent" } });
  await s.put(id, { status: "reopened" });
  await s.put(id, {});
  const said = await s.said(id);
  const events = (await s.logged(id)).slice(2);
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
    ["message_create", 3, "system", said[1]?.id],
    ["conversation_update", 5, "system", { status: ["resolved", "new"], assigned_agent_id: [olivia, null] }],
    ["message_create", 5, "system", said[2]?.id],
  ]);
});

test("PUT /conversations/{conversation_id} ignores members that can't be updated", async () => {
  const { conversation_id: id, channel_id } = await s.begin();
  const before = await s.get(id);
  const change = { channel_id: NOBODY, assigned_org_agent_id: NOBODY, assigned_org_group_id: NOBODY };
  expect(await s.put(id, change)).toEqual(before);
  expect((await s.get(id)).channel_id).toBe(channel_id);
});

test("PUT /conversations/{conversation_id} keeps an agent who has been deactivated, and refuses to assign that agent", async () => {
  const { id } = s.agent("Noah");
  const [his, other] = [await s.begin({ assigned_agent_id: id }), await s.begin()];
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(statement("", "update agents set is_deactivated = true where id = $1"), [id]);
  // A process caches an account's objects for up to a second.
  await setTimeout(1_200);
  const change = { status: "resolved", assigned_agent_id: id } as const;
  expect(await s.put(his.conversation_id, change)).toMatchObject(change);
  expect(await refusal(s.put(other.conversation_id, change))).toBe("INVALID_VALUE");
});

test("PUT /conversations/{conversation_id} sets and removes properties", async () => {
  const { conversation_id: id } = await s.begin({
    properties: { cf_order_number: "A1", cf_source_campaign: "Spring" },
  });
  const change = { cf_order_number: "", cf_products: ["Lamps"], priority: "High" };
  expect((await s.put(id, { properties: change })).properties).toEqual({
    priority: "High",
    cf_products: ["Lamps"],
    cf_source_campaign: "Spring",
  });
});

describe("PUT /conversations/{conversation_id} refuses", () => {
  test.each<[string, ConversationChange | (() => ConversationChange)]>([
    [
      "PUT /conversations/{conversation_id} refuses an unknown agent with AGENT_NOT_FOUND",
      { status: "assigned", assigned_agent_id: NOBODY },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent that is no id with AGENT_NOT_FOUND",
      { assigned_agent_id: "Olivia" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an unknown group with GROUP_NOT_FOUND",
      { assigned_group_id: NOBODY },
    ],
    [
      "PUT /conversations/{conversation_id} refuses a deactivated agent with INVALID_VALUE",
      () => ({ assigned_agent_id: s.agent("Tom").id }),
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent outside the group with AGENT_NOT_IN_GROUP",
      () => ({ status: "assigned", assigned_agent_id: s.agent("Hannah").id }),
    ],
    [
      "PUT /conversations/{conversation_id} refuses an open conversation's reopening with INVALID_TRANSITION",
      { status: "reopened" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses the status assigned without an agent with MISSING_PARAMETER",
      { status: "assigned" },
    ],
    [
      "PUT /conversations/{conversation_id} refuses an agent with the status new with INVALID_VALUE",
      () => ({ status: "new", assigned_agent_id: s.agent("Diego").id }),
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
    const { conversation_id } = await s.begin({
      assigned_agent_id: s.agent("Diego").id,
      assigned_group_id: s.group("Sales"),
    });
    const before = await s.get(conversation_id);
    expect(await refusal(s.put(conversation_id, typeof change === "function" ? change() : change))).toBe(
      title.split(" ").at(-1),
    );
    expect(await s.get(conversation_id)).toEqual(before);
  });

  test("PUT /conversations/{conversation_id} refuses an unknown id with CONVERSATION_NOT_FOUND", async () => {
    expect(await refusal(s.put(NOBODY, { status: "resolved" }))).toBe("CONVERSATION_NOT_FOUND");
  });

  test("PUT /conversations/{conversation_id} refuses the second of two concurrent requests with CONFLICT, without any effect", async () => {
    const { conversation_id: id } = await s.begin();
    const [olivia, maya] = [s.agent("Olivia").id, s.agent("Maya").id];
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    const answers = await pool.transaction(async (tx) => {
      // Writers have to wait here, so that both read the same revision.
      await tx.rows(statement("", "select from conversations where id = $1 for update"), [id]);
      const first = s.put(id, { assigned_agent_id: olivia });
      await setTimeout(200);
      const second = refusal(s.put(id, { assigned_agent_id: maya }));
      await setTimeout(300);
      return { first, second };
    });
    expect(await answers.first).toMatchObject({ assigned_agent_id: olivia });
    expect(await answers.second).toBe("CONFLICT");
    expect(await s.get(id)).toMatchObject({ assigned_agent_id: olivia });
    expect((await s.logged(id)).filter(({ kind }) => kind === "conversation_update")).toHaveLength(1);
  });
});

test("concurrent messages and updates keep one order of revisions and interactions", async () => {
  const { conversation_id: id, user_id } = await s.begin();
  const calls = Array.from({ length: 30 }, (_, index) => [
    s.say(id, { actor_type: "user", actor_id: user_id, message_parts: text(`${index}`) }),
    s.put(id, { status: index % 2 ? "resolved" : "new" }).catch(() => undefined),
  ]).flat();
  await Promise.all(calls);
  const said = await s.said(id);
  const events = await s.logged(id);
  expect(events.filter(({ kind }) => kind === "message_create").map(({ message_id }) => message_id)).toEqual(
    said.map((message) => message.id),
  );
  const revisions = events.map(({ conversation_revision }) => conversation_revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  const begun = said.filter(({ meta_data }) => meta_data?.["isReopen"]).length;
  expect(new Set(said.map(({ interaction_id }) => interaction_id)).size).toBe(1 + begun);
});
