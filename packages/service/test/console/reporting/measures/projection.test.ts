import { beforeAll, describe, expect, test } from "@jest/globals";
import type { CreatedConversation } from "@parley/contract";
import { conversationsHarness, textParts } from "../../../messaging/conversations/conversations-harness.ts";
import { analyticsRowsOf, untilProcessed, type AnalyticsTable } from "./analytics-tables.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const START = Date.parse("2026-03-02T10:00:00.000Z");
let time = START;
/** Moves the clock. @units seconds */
const pass = (seconds: number): Date => {
  time += seconds * 1_000;
  return new Date(time);
};

let noah: string;
let olivia: string;
let support: string;
const s = fileFixture(() => conversationsHarness({ ports: { now: () => new Date(time) } }));
beforeAll(async () => {
  noah = s.agentNamed("Noah").id;
  olivia = s.agentNamed("Olivia").id;
  support = s.groupIdOf("Support");
});

const factsOf = async (table: AnalyticsTable, { conversation_id }: Pick<CreatedConversation, "conversation_id">) => {
  await untilProcessed(s.database);
  return analyticsRowsOf(s.database, table, conversation_id);
};
const byAgent = (id: string, actor_id: string, more: object = {}) =>
  s.createMessage(id, { actor_type: "agent", actor_id, ...more });
const byUser = ({ conversation_id, user_id }: CreatedConversation) =>
  s.createMessage(conversation_id, { actor_type: "user", actor_id: user_id });

describe("an interaction", () => {
  test("is recorded from its beginning through assignments and responses to its resolution; a reopening starts another interaction", async () => {
    const created_time = pass(60);
    const c = await s.createConversation();
    const id = c.conversation_id;
    pass(10);
    await s.updateConversation(id, { status: "assigned", assigned_group_id: support });
    const first_assigned_time = pass(20);
    await s.updateConversation(id, { status: "assigned", assigned_agent_id: noah });
    const first_response_time = pass(30);
    await byAgent(id, olivia);
    pass(5);
    await byAgent(id, noah);
    const resolved_time = pass(35);
    await s.updateConversation(id, { status: "resolved" });
    const reopened_time = pass(100);
    await byUser(c);
    const expected = {
      conversation_id: id,
      account_id: 1001,
      channel_id: s.channel.id,
      user_id: c.user_id,
      group_id: support,
      waiting_since: null,
    };
    const nothing = {
      agent_id: null,
      first_assigned_time: null,
      first_response_time: null,
      first_response_agent_id: null,
      responses: 0,
      resolved_time: null,
      resolved_agent_id: null,
      resolved_group_id: null,
      resolver_type: null,
      resolver_id: null,
    };
    const [first, second, ...others] = await factsOf("interactions", c);
    expect(others).toEqual([]);
    expect(first).toEqual({
      ...expected,
      interaction_id: c.messages[0]?.interaction_id,
      created_time,
      reopened: false,
      agent_id: noah,
      first_assigned_time,
      first_response_time,
      first_response_agent_id: olivia,
      responses: 1,
      resolved_time,
      resolved_agent_id: noah,
      resolved_group_id: support,
      resolver_type: "system",
      resolver_id: null,
    });
    expect(second).toEqual({
      ...expected,
      ...nothing,
      interaction_id: `${c.conversation_internal_id}-${reopened_time.getTime()}`,
      created_time: reopened_time,
      reopened: true,
      waiting_since: reopened_time,
    });
  });

  test("that starts assigned, and one that starts resolved, is recorded as such", async () => {
    const created_time = pass(60);
    const assigned = await s.createConversation({ status: "assigned", assigned_agent_id: noah });
    expect(await factsOf("interactions", assigned)).toMatchObject([
      { agent_id: noah, first_assigned_time: created_time, resolved_time: null, waiting_since: created_time },
    ]);
    const resolved = await s.createConversation({ status: "resolved" });
    expect(await factsOf("interactions", resolved)).toMatchObject([
      { agent_id: null, first_assigned_time: null, resolved_time: created_time, waiting_since: null },
    ]);
  });

  test("whose beginning is not in the log is not recorded", async () => {
    const c = await s.createConversation();
    await untilProcessed(s.database);
    const pool = s.database.pool("parley_service", { max: 1 });
    await pool.rows({ name: "", text: "delete from interactions where conversation_id = $1" }, [c.conversation_id]);
    await pool.end();
    await byAgent(c.conversation_id, noah);
    await s.updateConversation(c.conversation_id, { status: "assigned", assigned_agent_id: noah });
    expect(await factsOf("interactions", c)).toEqual([]);
    expect(await factsOf("responses", c)).toEqual([]);
  });
});

describe("assignments", () => {
  test("are recorded with the previous and the new agent and group", async () => {
    const c = await s.createConversation({ status: "assigned", assigned_agent_id: noah });
    const id = c.conversation_id;
    await s.updateConversation(id, { status: "assigned", assigned_agent_id: olivia, assigned_group_id: support });
    await s.updateConversation(id, { assigned_agent_id: "" });
    await s.updateConversation(id, { assigned_group_id: "" });
    const interaction_id = c.messages[0]?.interaction_id;
    const rows = await factsOf("assignments", c);
    expect(rows.map(({ kind, from_id, to_id }) => [kind, from_id, to_id])).toEqual([
      ["agent", null, noah],
      ["agent", noah, olivia],
      ["group", null, support],
      ["agent", olivia, null],
      ["group", support, null],
    ]);
    expect(rows.map(({ actor_type }) => actor_type)).toEqual(["user", "system", "system", "system", "system"]);
    for (const row of rows)
      expect(row).toMatchObject({
        interaction_id,
        account_id: 1001,
        actor_id: row["actor_type"] === "user" ? c.user_id : null,
      });
  });
});

describe("responses", () => {
  test("are agents' messages that answer a waiting user, and are measured from the first unanswered message", async () => {
    pass(60);
    const c = await s.createConversation({ status: "assigned", assigned_agent_id: noah, assigned_group_id: support });
    const id = c.conversation_id;
    pass(5);
    await byUser(c);
    await byAgent(id, noah, { message_type: "private" });
    await s.createMessage(id, { actor_type: "bot" });
    const first = pass(10);
    const response = await byAgent(id, noah);
    pass(3);
    await byAgent(id, noah);
    pass(7);
    await byUser(c);
    const second = pass(1.25);
    const other = await byAgent(id, olivia);
    const expected = {
      conversation_id: id,
      account_id: 1001,
      interaction_id: response.interaction_id,
      group_id: support,
    };
    expect(await factsOf("responses", c)).toEqual([
      { ...expected, message_id: response.id, created_time: first, agent_id: noah, first: true, value_in_seconds: 15 },
      {
        ...expected,
        message_id: other.id,
        created_time: second,
        agent_id: olivia,
        first: false,
        value_in_seconds: 1.25,
      },
    ]);
    expect(await factsOf("interactions", c)).toMatchObject([{ responses: 2, first_response_time: first }]);
  });

  test("do not exist in a conversation that an agent starts, before the user's first message", async () => {
    const { id: user_id } = await s.createUser();
    const c = await s.createConversation({
      users: [{ id: user_id }],
      messages: [{ actor_type: "agent", actor_id: noah, message_parts: textParts("Good morning") }],
    });
    await byAgent(c.conversation_id, noah);
    expect(await factsOf("responses", c)).toEqual([]);
    pass(4);
    await byUser(c);
    pass(2);
    await byAgent(c.conversation_id, noah);
    expect(await factsOf("responses", c)).toMatchObject([{ first: true, value_in_seconds: 2 }]);
  });

  test("do not exist after the resolution, nor for the user's messages before it", async () => {
    const c = await s.createConversation();
    const id = c.conversation_id;
    await s.updateConversation(id, { status: "resolved" });
    await byAgent(id, noah);
    await s.updateConversation(id, { status: "reopened" });
    await byAgent(id, noah);
    expect(await factsOf("responses", c)).toEqual([]);
    expect(await factsOf("interactions", c)).toHaveLength(2);
  });
});

test("records contain ids only, so that deleting a user needs no change there", async () => {
  const c = await s.createConversation();
  await s.client.users.deleteUser({ params: { user_id: c.user_id } });
  await s.updateConversation(c.conversation_id, { status: "resolved" });
  const [row] = await factsOf("interactions", c);
  expect(row).toMatchObject({ user_id: c.user_id, resolver_type: "system" });
  expect(row?.["resolved_time"]).not.toBeNull();
});
