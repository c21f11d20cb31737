import { beforeAll, describe, expect, test } from "@jest/globals";
import type { InputOf, metrics } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { flushStatistics } from "../../../flush-statistics.ts";
import { UNKNOWN_ID, conversationsHarness } from "../../../messaging/conversations/conversations-harness.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

type Query = InputOf<typeof metrics.getInstantMetric>["query"];

let noah: string;
let hannah: string;
let support: string;
let sales: string;
const SIGN_IN = statement(
  "",
  `update agents set body = jsonb_set(body::jsonb, '{login_status}', 'true')::text where id = any($1::uuid[])`,
);
const s = fileFixture(conversationsHarness);
beforeAll(async () => {
  [noah, hannah] = [s.agentNamed("Noah").id, s.agentNamed("Hannah").id];
  [support, sales] = [s.groupIdOf("Support"), s.groupIdOf("Sales")];
  // As the sessions of an agent set it.
  await s.database.pool(SERVICE_SCHEMA, { max: 1 }).rows(SIGN_IN, [[noah, hannah]]);
});

const read = (query: Query) => s.client.metrics.getInstantMetric({ query });
const valuesOf = async (query: Query) =>
  (await read(query)).data.map(({ groupings, values }) => [...groupings, ...values].map(({ value }) => value));

describe("GET /metrics/instant", () => {
  test("GET /metrics/instant 200: agents who are online", async () => {
    const { agents } = await s.client.agents.listAgents({ query: { is_deactivated: false, items_per_page: 100 } });
    const online = agents.filter(({ login_status }) => login_status);
    expect(online.length).toBeGreaterThan(0);
    expect(await read({ metric: "team_presence.online" })).toEqual({
      metric: "team_presence.online",
      filters: [],
      data: [{ groupings: [], values: [{ key: "team_presence.online", value: String(online.length) }] }],
    });
  });

  test.each(["team_presence.online", "team_presence.available"] as const)(
    "%s by group and by agent equals the list of agents",
    async (metric) => {
      const { agents } = await s.client.agents.listAgents({ query: { is_deactivated: false, items_per_page: 100 } });
      const isCounted = (agent: (typeof agents)[number]) =>
        metric === "team_presence.online" ? agent.login_status : agent.availability_status === "AVAILABLE";
      expect(await valuesOf({ metric, group_by: "agent" })).toEqual(
        agents.map((agent) => [agent.id, isCounted(agent) ? "1" : "0"]).sort(),
      );
      const groups = [...new Set(agents.flatMap(({ groups: own = [] }) => own))].sort();
      expect(await valuesOf({ metric, group_by: "group" })).toEqual(
        groups.map((id) => [id, String(agents.filter((each) => each.groups?.includes(id) && isCounted(each)).length)]),
      );
      const inSupport = agents.filter((agent) => agent.groups?.includes(support) && isCounted(agent));
      expect(await valuesOf({ metric, filter_by: `group:${support}` })).toEqual([[String(inSupport.length)]]);
      expect(await valuesOf({ metric, group_by: "group", filter_by: `group:${support}` })).toEqual([
        [support, String(inSupport.length)],
      ]);
      expect(await valuesOf({ metric, filter_by: `group:${sales},agent:${hannah}` })).toEqual([["0"]]);
      expect(await valuesOf({ metric, filter_by: `agent:${UNKNOWN_ID}` })).toEqual([["0"]]);
    },
  );

  test("open and unassigned conversations follow every change", async () => {
    const open = "conversation_metrics.open";
    const unassigned = "conversation_metrics.unassigned";
    expect(await valuesOf({ metric: open, group_by: "group" })).toEqual([["null", "0"]]);
    const { conversation_id: first, user_id } = await s.createConversation();
    const { conversation_id: second } = await s.createConversation({ status: "assigned", assigned_agent_id: noah });
    expect(await valuesOf({ metric: open })).toEqual([["2"]]);
    expect(await valuesOf({ metric: unassigned })).toEqual([["1"]]);
    expect(await valuesOf({ metric: open, group_by: "agent" })).toEqual([
      [noah, "1"],
      ["null", "1"],
    ]);
    await s.updateConversation(first, { status: "assigned", assigned_group_id: support });
    expect(await read({ metric: unassigned, group_by: "group", filter_by: `group:${support}` })).toEqual({
      metric: unassigned,
      filters: [{ key: "group", value: support }],
      data: [{ groupings: [{ key: "group", value: support }], values: [{ key: unassigned, value: "1" }] }],
    });
    await s.updateConversation(first, { status: "resolved" });
    await s.updateConversation(second, { status: "resolved" });
    expect(await valuesOf({ metric: open })).toEqual([["0"]]);
    await s.createMessage(first, { actor_type: "user", actor_id: user_id });
    expect(await valuesOf({ metric: unassigned, filter_by: `group:${support}` })).toEqual([["1"]]);
    expect(await valuesOf({ metric: open, filter_by: `agent:${noah}` })).toEqual([["0"]]);
    const { data } = await s.solo.metrics.getInstantMetric({ query: { metric: open } });
    expect(data[0]?.values[0]?.value).toBe("0");
  });

  test.each([
    ["an unknown metric", "metric=team_presence.asleep"],
    ["a metric of the past", "metric=conversation_metrics.wait_time"],
    ["an unknown grouping", "metric=team_presence.online&group_by=role"],
    ["a filter that is none", "metric=team_presence.online&filter_by=online"],
    ["NUL in a filter", "metric=team_presence.online&filter_by=agent:%00"],
  ])("refuses %s", async (_title, query) => {
    const response = await s.raw("GET", `/v2/metrics/instant?${query}`);
    expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([400, "INVALID_VALUE"]);
  });

  test("GET /metrics/instant 400 MISSING_PARAMETER: no metric", async () => {
    const response = await s.raw("GET", "/v2/metrics/instant");
    expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([
      400,
      "MISSING_PARAMETER",
    ]);
  });

  test("refuses other methods", async () => {
    expect((await s.raw("DELETE", "/v2/metrics/instant")).status).toBe(405);
  });
});

test("no metric reads conversations: each responds while messages, conversations and interactions are locked", async () => {
  const locker = await s.database.connect(SERVICE_SCHEMA);
  await s.createConversation();
  await read({ metric: "conversation_metrics.open" });
  await locker.script(
    "begin; lock table messages, conversations, conversation_revisions, interactions, responses in access exclusive mode",
  );
  try {
    const range = { start: "2026-01-01T00:00:00Z", end: "2030-01-01T00:00:00Z", interval: "1M" } as const;
    for (const [metric, aggregator] of [
      ["conversation_metrics.created_interactions", "avg"],
      ["team_performance.response_time", "median"],
    ] as const)
      for (const group_by of ["group", "agent"] as const)
        await s.client.metrics.getHistoricalMetric({ query: { metric, aggregator, group_by, ...range } });
    for (const metric of [
      "conversation_metrics.open",
      "conversation_metrics.unassigned",
      "team_presence.online",
    ] as const)
      expect((await read({ metric, group_by: "group" })).data.length).toBeGreaterThan(0);
  } finally {
    await locker.script("rollback");
    await locker.close();
  }
});

test("hours and waiting conversations are read by their index", async () => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const fill = statement(
    "",
    `insert into metric_hours
     select 1001, measure, 'all', timestamptz '2020-01-01' + hour * interval '1 hour', null, null, 1, 1, 1, 1, '{1}', '{1}'
       from unnest(array['created', 'wait', 'response']) measure, generate_series(1, 5000) hour`,
  );
  const old = statement(
    "",
    `insert into interactions (conversation_id, interaction_id, account_id, created_time, reopened, channel_id, user_id, resolved_time)
     select gen_random_uuid(), '1', 1001, now(), false, gen_random_uuid(), gen_random_uuid(), now() from generate_series(1, 5000)`,
  );
  const scans = statement(
    "",
    `select sum(seq_scan)::integer as whole, sum(seq_tup_read)::integer as rows
       from pg_stat_user_tables where relname in ('metric_hours', 'interactions')`,
  );
  await pool.rows(fill, []);
  await pool.rows(old, []);
  await pool.rows(statement("", "analyze"), []);
  await flushStatistics(pool);
  const before = await pool.one<{ whole: number; rows: number }>(scans, []);
  for (let round = 0; round < 20; round += 1) {
    const query = { start: "2020-02-01T00:00:00Z", end: "2020-02-08T00:00:00Z" };
    const metric = "conversation_metrics.wait_time";
    const { data } = await s.client.metrics.getHistoricalMetric({ query: { ...query, metric, aggregator: "median" } });
    expect(data[0]?.series[0]?.values[0]?.value).toBe("0.001");
    const late = "conversation_metrics.created_x_mins_ago_and_unassigned";
    await s.client.metrics.getHistoricalMetric({ query: { ...query, metric: late, x_time: 5 } });
  }
  await flushStatistics(pool);
  const after = await pool.one<{ whole: number; rows: number }>(scans, []);
  expect(after).toEqual(before);
  await pool.end();
});
