import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MetricHistory, MetricInterval, MetricState } from "@parley/contract";
import { consoleHarness, outcome, type ConsoleHarness } from "../../console-harness.ts";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";

/** What the console's page of reports reads besides the metrics of the API. */

const T = Date.parse("2026-03-02T10:20:00.000Z");
const HOUR_MS = 3_600_000;
let time = T;

let s: ConsoleHarness;
let [support, sales] = ["", ""];
beforeAll(async () => {
  s = await consoleHarness({ ports: { now: () => new Date(time) } });
  const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
  const idOf = (name: string) => groups.find((group) => group.name === name)?.id ?? "";
  [support, sales] = [idOf("Support"), idOf("Sales")];
  // 10:20, Noah in Support: 5, 4 and one without a number; 12:20, nobody in Sales: 1.
  const first = await rated({ assigned_group_id: support, assigned_agent_id: s.noah.id }, [5, 4, undefined]);
  expect(first).not.toBe("");
  time = T + 2 * HOUR_MS;
  await rated({ assigned_group_id: sales }, [1]);
}, 60_000);
afterAll(() => s.close());

/** A conversation with ratings. -> its id */
const rated = async (assignment: object, ratings: readonly (number | undefined)[]): Promise<string> => {
  const { conversation_id } = await s.conversation("Rita");
  const params = { conversation_id };
  await s.client.conversations.updateConversation({ params, body: { status: "assigned", ...assignment } });
  for (const rating of ratings)
    await s.client.csat.createCsat({
      params,
      body: { issue_resolved: rating !== undefined, ...(rating !== undefined && { rating }) },
    });
  return conversation_id;
};

const RANGE = { start: "2026-03-02T09:00:00.000Z", end: "2026-03-02T13:00:00.000Z" };
const read = (query: Readonly<Record<string, string>>) =>
  s.call<MetricHistory>(s.maya, "GET", `/metrics/ratings?${new URLSearchParams({ ...RANGE, ...query })}`);
/** -> for each group or agent: its key, and average and number of each interval */
const valuesOf = async (query: Readonly<Record<string, string>>) =>
  (await read(query)).body.data.map(({ groupings, series }) => [
    ...groupings.map(({ value }) => value),
    ...series.map(({ values }) => values.map(({ value }) => value).join(" of ")),
  ]);

describe("metrics in a time zone", () => {
  const read = (query: {
    readonly start?: string;
    readonly end?: string;
    readonly interval?: MetricInterval;
    readonly timezone: string;
  }) =>
    s.client.metrics.getHistoricalMetric({
      query: {
        metric: "conversation_metrics.created_interactions",
        start: "2026-03-01T00:00:00.000Z",
        end: "2026-03-03T00:00:00.000Z",
        ...query,
      },
    });

  test.each<[string, MetricInterval, string[]]>([
    // Midnight of Auckland is between the two conversations.
    ["Pacific/Auckland", "1d", ["03-01T00 0", "03-01T11 1", "03-02T11 1"]],
    ["America/New_York", "1d", ["03-01T00 0", "03-01T05 0", "03-02T05 2"]],
    // Metrics have full hours only: the day begins at 00:30 there.
    ["Asia/Kolkata", "1d", ["03-01T00 0", "03-01T19 2", "03-02T19 0"]],
    ["Europe/Berlin", "1W", ["03-01T00 0", "03-01T23 2"]],
    ["America/New_York", "1M", ["03-01T00 0", "03-01T05 2"]],
    ["UTC", "1d", ["03-01T00 0", "03-02T00 2"]],
  ])(
    "with the time zone %s, intervals of %s begin at its midnight and have what happened in them",
    async (timezone, interval, expected) => {
      const reply = await read({
        start: "2026-03-01T00:00:00.000Z",
        end: "2026-03-03T00:00:00.000Z",
        interval,
        timezone,
      });
      expect(reply.timezone).toBe(timezone);
      const series = reply.data[0]?.series ?? [];
      expect(series.map(({ start, values }) => `${start.slice(5, 13)} ${values[0]?.value}`)).toEqual(expected);
      expect(series.map(({ end }) => end)).toEqual([...series.slice(1).map(({ start }) => start), reply.end]);
    },
  );

  test("days of a time zone follow its clock: the day of the change has 23 hours", async () => {
    const range = { start: "2026-03-07T05:00:00.000Z", end: "2026-03-10T04:00:00.000Z" };
    const reply = await read({ ...range, interval: "1d", timezone: "America/New_York" });
    expect(reply.data[0]?.series.map(({ start }) => start.slice(5, 13))).toEqual(["03-07T05", "03-08T05", "03-09T04"]);
  });

  test.each(["Mars/Olympus", "+01:00"])("an unknown time zone %j is refused with an example", async (timezone) => {
    await expect(read({ timezone })).rejects.toMatchObject({
      problem: { code: 400, status: "INVALID_VALUE", message: expect.stringContaining("such as Europe/Berlin") },
    });
  });
});

describe("ratings over time", () => {
  test("GET /console/api/metrics/ratings 200: by days of a time zone", async () => {
    // Midnight of Auckland is between the ratings.
    const { body } = await read({ interval: "1d", timezone: "Pacific/Auckland" });
    const shown = body.data[0]?.series.map(({ start, values }) => [start.slice(11, 13), values[1]?.value]);
    expect(shown).toEqual([
      ["09", "2"],
      ["11", "1"],
    ]);
  });

  test("GET /console/api/metrics/ratings 200: average and number of a range, in the form of a metric", async () => {
    const { code, body } = await read({});
    expect(code).toBe(200);
    expect(body).toEqual({
      metrics: ["csat.average", "csat.ratings"],
      data: [
        {
          groupings: [],
          series: [
            {
              ...RANGE,
              values: [
                { key: "csat.average", value: "3.333" },
                { key: "csat.ratings", value: "3" },
              ],
            },
          ],
        },
      ],
      ...RANGE,
    });
  });

  test("each hour has the ratings that were given in it, and one without ratings has no average", async () => {
    expect(await valuesOf({ interval: "1h" })).toEqual([["null of 0", "4.5 of 2", "null of 0", "1 of 1"]]);
  });

  test("ratings count for the group of the interaction and for the agent at that time", async () => {
    const byGroup = [
      [support, "4.5 of 2"],
      [sales, "1 of 1"],
    ].sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
    expect(await valuesOf({ group_by: "group" })).toEqual(byGroup);
    expect(await valuesOf({ group_by: "agent" })).toEqual([
      [s.noah.id, "4.5 of 2"],
      ["null", "1 of 1"],
    ]);
  });

  test.each([
    ["a group", () => `group:${support}`, "4.5 of 2"],
    ["an agent", () => `agent:${s.noah.id}`, "4.5 of 2"],
    ["a group and an agent who is not in it", () => `group:${sales},agent:${s.noah.id}`, "null of 0"],
    ["an unknown id", () => "group:nobody", "null of 0"],
  ])("a filter of %s", async (_, filter, value) => {
    expect(await valuesOf({ filter_by: filter() })).toEqual([[value]]);
  });

  test("ratings of another account are not contained", async () => {
    const { agents } = await s.solo.agents.listAgents();
    await s.adminRequest("PUT", `/admin/accounts/solo/agents/${agents[0]?.id}`, { scope: "Global" });
    const session = await s.signIn(agents[0]?.email ?? "", { account: "solo" });
    const path = `/metrics/ratings?${new URLSearchParams(RANGE)}`;
    const { body } = await s.call<MetricHistory>({ session }, "GET", path);
    expect(body.data[0]?.series[0]?.values.map(({ value }) => value)).toEqual(["null", "0"]);
  });

  test.each([
    ["an end before the start", { end: "2026-03-02T08:00:00Z" }],
    ["more intervals than a reply holds", { start: "2020-01-01T00:00:00Z", interval: "1h" }],
  ])("GET /console/api/metrics/ratings 400 INVALID_METRIC_RANGE: %s", async (_, query) => {
    expect(outcome(await read(query))).toBe("400 INVALID_METRIC_RANGE");
  });
});

describe("whether metrics contain the latest events", () => {
  const state = () => s.call<MetricState>(s.maya, "GET", "/metrics/state");

  test("GET /console/api/metrics/state 200: they do after a moment", async () => {
    await s.conversation("Nora");
    const { code, body } = await state();
    expect([code, body]).toEqual([200, { is_behind: false }]);
  });

  test("they don't while the processing of events does not advance", async () => {
    const locker = await s.database.connect(SERVICE_SCHEMA);
    await locker.script("begin; lock table metric_hours in access exclusive mode");
    try {
      await s.conversation("Late");
      expect((await state()).body).toEqual({ is_behind: true });
    } finally {
      await locker.script("rollback");
      await locker.close();
    }
    expect((await state()).body).toEqual({ is_behind: false });
  });
});
