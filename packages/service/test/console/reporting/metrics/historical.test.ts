import { beforeAll, describe, expect, test } from "@jest/globals";
import type { InputOf, MetricHistory, metrics } from "@parley/contract";
import {
  conversationsHarness,
  refusalToken,
  UNKNOWN_ID,
} from "../../../messaging/conversations/conversations-harness.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

type Query = InputOf<typeof metrics.getHistoricalMetric>["query"];

const T = Date.parse("2026-03-02T10:20:00.000Z");
let time = T;
/** @units seconds */
const pass = (seconds: number) => {
  time += seconds * 1_000;
};

let [noah, olivia, support, sales] = ["", "", "", ""];
const s = fileFixture(() => conversationsHarness({ ports: { now: () => new Date(time) } }));
beforeAll(async () => {
  [noah, olivia] = [s.agentNamed("Noah").id, s.agentNamed("Olivia").id];
  [support, sales] = [s.groupIdOf("Support"), s.groupIdOf("Sales")];
  await conversation();
});

/** 10:20 a conversation, assigned to Noah in Support after 30 s, answered after 40 s and resolved after 100 s; 12:20 a second conversation, for Sales. */
const conversation = async () => {
  const { conversation_id: id, user_id } = await s.createConversation();
  await s.updateConversation(id, { status: "assigned", assigned_group_id: support });
  pass(30);
  await s.updateConversation(id, { status: "assigned", assigned_agent_id: noah });
  pass(10);
  await s.createMessage(id, { actor_type: "agent", actor_id: noah });
  await s.createMessage(id, { actor_type: "user", actor_id: user_id });
  pass(2.5);
  await s.createMessage(id, { actor_type: "agent", actor_id: olivia });
  pass(57.5);
  await s.updateConversation(id, { status: "resolved" });
  time = T + 2 * 3_600_000;
  const { conversation_id: other } = await s.createConversation();
  await s.updateConversation(other, { status: "assigned", assigned_group_id: sales });
};

const DAY_RANGE = { start: "2026-03-02T00:00:00.000Z", end: "2026-03-03T00:00:00.000Z" };
const CREATED = "conversation_metrics.created_interactions";
const RESPONSES = "team_performance.response_time";
const read = (query: Partial<Query>): Promise<MetricHistory> =>
  s.client.metrics.getHistoricalMetric({ query: { metric: CREATED, ...DAY_RANGE, ...query } });
const valuesOf = async (query: Partial<Query>) =>
  (await read(query)).data.map(({ groupings, series }) => [
    ...groupings.map(({ value }) => value),
    ...series.flatMap(({ values }) => values.map(({ value }) => value)),
  ]);

describe("GET /metrics/historical", () => {
  test("GET /metrics/historical 200: a count in a range", async () => {
    expect(await read({})).toEqual({
      metrics: [CREATED],
      data: [{ groupings: [], series: [{ ...DAY_RANGE, values: [{ key: CREATED, value: "2" }] }] }],
      ...DAY_RANGE,
    });
  });

  test.each<[Query["metric"], string]>([
    ["conversation_metrics.created_interactions", "2"],
    ["conversation_metrics.assigned_interactions", "1"],
    ["conversation_metrics.resolved_interactions", "1"],
    ["team_performance.responses_sent", "2"],
    ["conversation_metrics.wait_time", "30"],
    ["team_performance.first_response_time", "40"],
    ["team_performance.response_time", "21.25"],
    ["team_performance.resolution_time", "100"],
  ])("%s is %s", async (metric, value) => {
    expect(await valuesOf({ metric })).toEqual([[value]]);
  });

  test.each<[Query["aggregator"], string]>([
    ["avg", "21.25"],
    ["min", "2.5"],
    ["max", "40"],
    ["median", "2.5"],
    ["90th_percentile", "40"],
  ])("a duration with aggregator %s is %s seconds", async (aggregator, value) => {
    const reply = await read({ metric: RESPONSES, aggregator });
    expect(reply.aggregator).toBe(aggregator);
    const reported = Number(reply.data[0]?.series[0]?.values[0]?.value);
    const isRead = aggregator === "median" || aggregator === "90th_percentile";
    expect(Math.abs(reported - Number(value))).toBeLessThanOrEqual(isRead ? Number(value) * 0.01 : 0);
  });

  test("an aggregator does not affect a count", async () => {
    const reply = await read({ aggregator: "max" });
    expect(reply.data[0]?.series[0]?.values[0]?.value).toBe("2");
    expect(reply).not.toHaveProperty("aggregator");
  });

  test("an empty interval counts 0, and has no duration", async () => {
    const range = { start: "2026-03-02T09:00:00.000Z", end: "2026-03-02T13:00:00.000Z", interval: "1h" as const };
    expect(await valuesOf(range)).toEqual([["0", "1", "0", "1"]]);
    expect(await valuesOf({ ...range, metric: RESPONSES })).toEqual([["null", "21.25", "null", "null"]]);
  });

  test("a range includes the hours that it overlaps", async () => {
    const reply = await read({ start: "2026-03-02T10:59:00.000Z", end: "2026-03-02T12:01:00Z", interval: "1h" });
    expect([reply.start, reply.end]).toEqual(["2026-03-02T10:00:00.000Z", "2026-03-02T13:00:00.000Z"]);
    expect(reply.data[0]?.series).toHaveLength(3);
    expect(await valuesOf({ start: "2026-03-02T11:00:00.000Z", end: "2026-03-02T12:00:00.000Z" })).toEqual([["0"]]);
  });

  test.each<[NonNullable<Query["interval"]>, string[]]>([
    ["1d", ["02-28T12", "03-01T00", "03-02T00", "03-03T00"]],
    ["1W", ["02-28T12", "03-02T00"]],
    ["1M", ["02-28T12", "03-01T00"]],
  ])("intervals of %s are aligned to UTC and contiguous", async (interval, starts) => {
    const reply = await read({ start: "2026-02-28T12:30:00.000Z", end: "2026-03-03T05:30:00.000Z", interval });
    const series = reply.data[0]?.series ?? [];
    expect(series.map(({ start }) => start)).toEqual(starts.map((start) => `2026-${start}:00:00.000Z`));
    expect(series.map(({ end }) => end)).toEqual([...series.slice(1).map(({ start }) => start), reply.end]);
    expect(reply.end).toBe("2026-03-03T06:00:00.000Z");
    expect(reply.interval).toBe(interval);
  });

  test("by group and by agent: those of the conversation at that time, and the agent who answered", async () => {
    const resolved = "conversation_metrics.resolved_interactions" as const;
    expect(await valuesOf({ group_by: "group" })).toEqual([["null", "2"]]);
    expect(await valuesOf({ group_by: "group", metric: resolved })).toEqual([[support, "1"]]);
    expect(await valuesOf({ group_by: "agent", metric: resolved })).toEqual([[noah, "1"]]);
    expect(await valuesOf({ group_by: "agent", metric: RESPONSES })).toEqual(
      [
        [noah, "40"],
        [olivia, "2.5"],
      ].sort(),
    );
  });

  test("a filter restricts the result and lists the filtered values", async () => {
    const metric = "team_performance.responses_sent" as const;
    const both = [support, sales].sort();
    expect(await valuesOf({ metric, filter_by: `agent:${olivia}` })).toEqual([["1"]]);
    expect(await valuesOf({ metric, filter_by: ` agent:${olivia} , agent:${noah.toUpperCase()}` })).toEqual([["2"]]);
    expect(await valuesOf({ metric, filter_by: `group:${sales}` })).toEqual([["0"]]);
    expect(await valuesOf({ metric, filter_by: `group:${support},agent:${olivia}` })).toEqual([["1"]]);
    expect(await valuesOf({ metric, filter_by: `group:${sales},agent:${olivia}` })).toEqual([["0"]]);
    expect(await valuesOf({ metric, group_by: "group", filter_by: `group:${sales},group:${support}` })).toEqual(
      both.map((id) => [id, id === support ? "2" : "0"]),
    );
    expect(await valuesOf({ metric, group_by: "agent", filter_by: `group:${support}` })).toEqual(
      [noah, olivia].sort().map((id) => [id, "1"]),
    );
    expect(await valuesOf({ metric, filter_by: `agent:${UNKNOWN_ID}` })).toEqual([["0"]]);
    expect(await valuesOf({ metric, filter_by: "agent:nobody", group_by: "agent" })).toEqual([["nobody", "0"]]);
    expect(await valuesOf({ metric, filter_by: "" })).toEqual([["2"]]);
    expect(await valuesOf({ metric, filter_by: `agent=${olivia}` })).toEqual([["1"]]);
    expect(await valuesOf({ metric, filter_by: `group=${support},agent:${olivia}` })).toEqual([["1"]]);
  });

  test("a family returns all its metrics in one response, each value under its own name", async () => {
    const team = await read({ metric: "team_performance", group_by: "agent", aggregator: "max" });
    const names = ["first_response_time", "response_time", "resolution_time", "responses_sent"];
    expect(team.metrics).toEqual(names.map((name) => `team_performance.${name}`));
    expect(team.aggregator).toBe("max");
    const rows = team.data.map(({ groupings, series }) => [
      groupings[0]?.value,
      series.map(({ values }) => values.map(({ key, value }) => [key.slice("team_performance.".length), value])),
    ]);
    const expected = (...values: string[]) => [names.map((name, index) => [name, values[index]])];
    expect(Object.fromEntries(rows)).toEqual({
      [noah]: expected("40", "40", "100", "1"),
      [olivia]: expected("null", "2.5", "null", "1"),
    });
    expect(await valuesOf({ metric: "conversation_metrics" })).toEqual([["2", "1", "1", "30"]]);
  });

  test("data and series are never empty", async () => {
    const empty = { start: "2020-01-01T00:00:00.000Z", end: "2020-01-02T00:00:00.000Z", group_by: "agent" as const };
    expect(await valuesOf(empty)).toEqual([["null", "0"]]);
    expect(await valuesOf({ ...empty, metric: RESPONSES })).toEqual([["null", "null"]]);
  });

  test("another account's conversations are not counted", async () => {
    const query = { metric: CREATED, ...DAY_RANGE } as const;
    expect((await s.solo.metrics.getHistoricalMetric({ query })).data[0]?.series[0]?.values[0]?.value).toBe("0");
    const filter_by = `group:${support}`;
    const reply = await s.solo.metrics.getHistoricalMetric({ query: { ...query, filter_by } });
    expect(reply.data[0]?.series[0]?.values[0]?.value).toBe("0");
  });

  test("a year in hours is accepted", async () => {
    const reply = await read({ start: "2026-01-01T00:00:00.000Z", end: "2027-01-01T00:00:00.000Z", interval: "1h" });
    expect(reply.data[0]?.series).toHaveLength(8_760);
    const sum = reply.data[0]?.series.reduce((total, { values }) => total + Number(values[0]?.value), 0);
    expect(sum).toBe(2);
  });

  test.each<[string, Partial<Query>]>([
    ["its end before its start", { start: DAY_RANGE.end, end: DAY_RANGE.start }],
    ["no length", { end: DAY_RANGE.start }],
    ["more hours than an reply holds", { start: "2024-01-01T00:00:00Z", end: "2026-01-01T00:00:00Z", interval: "1h" }],
    ["all of time by months", { start: "0000-01-01T00:00:00Z", end: "9999-12-31T23:59:59-12:00", interval: "1M" }],
  ])("GET /metrics/historical 400 INVALID_METRIC_RANGE: a range with %s", async (_title, query) => {
    expect(await refusalToken(read(query))).toBe("INVALID_METRIC_RANGE");
  });

  test("GET /metrics/historical 400 INVALID_METRIC_RANGE: more values than a response may contain", async () => {
    const filter_by = Array.from({ length: 90 }, (_, index) => `agent:${index}`).join();
    const query = { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z", interval: "1h", filter_by } as const;
    expect(await refusalToken(read({ ...query, group_by: "agent" }))).toBe("INVALID_METRIC_RANGE");
    expect(await valuesOf(query)).toHaveLength(1);
  });

  test("the longest possible range is accepted", async () => {
    expect(await valuesOf({ start: "0000-01-01T00:00:00Z", end: "9999-12-31T23:59:59-12:00" })).toEqual([["2"]]);
  });

  const all = `metric=${CREATED}&start=${DAY_RANGE.start}&end=${DAY_RANGE.end}`;
  test.each([
    ["no metric", `start=${DAY_RANGE.start}&end=${DAY_RANGE.end}`],
    ["no start", `metric=${CREATED}&end=${DAY_RANGE.end}`],
    ["no end", `metric=${CREATED}&start=${DAY_RANGE.start}`],
    ["nothing", ""],
    ["no x_time where it is needed", `${all.replace("created_interactions", "created_x_mins_ago_and_unassigned")}`],
  ])("GET /metrics/historical 400 MISSING_PARAMETER: %s", async (_title, query) => {
    const response = await s.raw("GET", `/v2/metrics/historical?${query}`);
    expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([
      400,
      "MISSING_PARAMETER",
    ]);
  });

  test.each([
    ["an unknown metric", all.replace("created_", "created-")],
    ["a metric of the present", all.replace(CREATED, "team_presence.online")],
    ["a start that is not a time", all.replace(DAY_RANGE.start, "yesterday")],
    ["an end that there is not", all.replace(DAY_RANGE.end, "2026-02-30T00:00:00Z")],
    ["an unknown interval", `${all}&interval=2h`],
    ["an interval in other letters", `${all}&interval=1m`],
    ["an unknown aggregator", `${all}&aggregator=sum`],
    ["an unknown grouping", `${all}&group_by=channel`],
    ["a filter of another kind", `${all}&filter_by=channel:${UNKNOWN_ID}`],
    ["a filter without an id", `${all}&filter_by=group:`],
    ["a filter of an id alone", `${all}&filter_by=${UNKNOWN_ID}`],
    ["a filter with a gap", `${all}&filter_by=group:${UNKNOWN_ID},,`],
    ["a filter that is too long", `${all}&filter_by=group:${"x".repeat(4_100)}`],
    ["NUL in a filter", `${all}&filter_by=group:%00`],
    ["two filters", `${all}&filter_by=group:1&filter_by=group:2`],
    ["x_time below 0", `${all}&x_time=-1`],
    ["x_time beyond a year", `${all}&x_time=525601`],
    ["x_time in words", `${all}&x_time=ten`],
  ])("refuses %s", async (_title, query) => {
    const response = await s.raw("GET", `/v2/metrics/historical?${query}`);
    expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([400, "INVALID_VALUE"]);
  });

  test("refuses other methods", async () => {
    expect((await s.raw("POST", "/v2/metrics/historical")).status).toBe(405);
  });
});

describe("created_x_mins_ago_and_unassigned", () => {
  const metric = "conversation_metrics.created_x_mins_ago_and_unassigned" as const;
  const now = () => new Date(time).toISOString();
  const waiting = (query: Partial<Query>) => valuesOf({ metric, start: now(), end: now(), ...query });

  test("counts open conversations without an agent that started before the time, by group", async () => {
    expect(await waiting({ x_time: 0 })).toEqual([["1"]]);
    expect(await waiting({ x_time: 1 })).toEqual([["0"]]);
    pass(60);
    expect(await waiting({ x_time: 1, group_by: "group" })).toEqual([[sales, "1"]]);
    expect(await waiting({ x_time: 1, filter_by: `group:${support}` })).toEqual([["0"]]);
    expect(await waiting({ x_time: 1, filter_by: `agent:${noah}` })).toEqual([["0"]]);
    expect(await waiting({ x_time: 1, group_by: "agent" })).toEqual([["null", "1"]]);
  });

  test("accepts a start after the end, as clients with other clocks send it, and ignores the interval", async () => {
    const start = new Date(time + 1).toISOString();
    const reply = await read({ metric, start, end: now(), x_time: 0, interval: "1h" });
    expect(reply).toEqual({
      metrics: [metric],
      data: [{ groupings: [], series: [{ start, end: now(), values: [{ key: metric, value: "1" }] }] }],
      start,
      end: now(),
    });
  });

  test("excludes conversations that are assigned, resolved, or started later", async () => {
    const { conversation_id: assigned } = await s.createConversation();
    const { conversation_id: resolved } = await s.createConversation();
    expect(await waiting({ x_time: 0 })).toEqual([["3"]]);
    await s.updateConversation(assigned, { status: "assigned", assigned_agent_id: noah });
    await s.updateConversation(resolved, { status: "resolved" });
    expect(await waiting({ x_time: 0 })).toEqual([["1"]]);
    await s.updateConversation(assigned, { assigned_agent_id: "" });
    expect(await waiting({ x_time: 0 })).toEqual([["2"]]);
    expect(await waiting({ x_time: 0, end: "0000-01-01T00:00:00Z" })).toEqual([["0"]]);
    await s.updateConversation(assigned, { status: "resolved" });
  });
});
