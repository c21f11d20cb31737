import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Problem, ReportEvent } from "@parley/contract";
import { parleyClient } from "@parley/client";
import { DAY_MS, HOUR_MS, reportsHarness, START_MS, type ReportsHarness } from "./reports-harness.ts";

const iso = (time: number) => new Date(time).toISOString();
const body = (more: object = {}) => ({
  event: "Chat-Transcript",
  format: "csv",
  start: iso(START_MS - HOUR_MS),
  end: iso(START_MS),
  ...more,
});

describe("requesting raw reports", () => {
  let w: ReportsHarness;
  beforeAll(async () => {
    w = await reportsHarness();
  });
  afterAll(() => w.close());

  const post = async (value: unknown, headers: Record<string, string> = { "content-type": "application/json" }) => {
    const response = await w.raw("POST", "/v2/reports/raw", {
      headers,
      body: typeof value === "string" ? value : JSON.stringify(value),
    });
    return { status: response.status, problem: (await response.json()) as Problem, headers: response.headers };
  };

  test("POST /reports/raw 202: an id, and a link without the version segment to the report", async () => {
    const created = await w.client.reports.createReport({ body: body() as never });
    expect(created).toEqual({ id: expect.any(String), link: { rel: "extracts", href: `/reports/raw/${created.id}` } });
    const bare = await w.raw("GET", created.link.href);
    const versioned = await w.raw("GET", `/v2${created.link.href}`);
    expect([bare.status, versioned.status]).toEqual([200, 200]);
    expect(((await bare.json()) as { id: string }).id).toBe(created.id);
    expect((await w.raw("GET", `${created.link.href}/`)).status).toBe(200);
    expect((await fetch(w.url + created.link.href)).status).toBe(401);
    expect((await w.raw("PUT", created.link.href)).status).toBe(405);
  });

  test("GET /reports/raw/{report_id} 200: the range as text and its files", async () => {
    const { id } = await w.client.reports.createReport({
      body: body({ start: iso(START_MS - 13 * HOUR_MS) }) as never,
    });
    const report = await w.client.reports.getReport({ params: { report_id: id.toUpperCase() } });
    expect(report).toMatchObject({ id, interval: `${iso(START_MS - 13 * HOUR_MS)}_${iso(START_MS)}` });
    expect(report.links.map(({ from, to }) => [from, to])).toEqual([
      [iso(START_MS - 13 * HOUR_MS), iso(START_MS - 7 * HOUR_MS)],
      [iso(START_MS - 7 * HOUR_MS), iso(START_MS - HOUR_MS)],
      [iso(START_MS - HOUR_MS), iso(START_MS)],
    ]);
  });

  test("unknown members, nulls and the time zone of a time have no effect", async () => {
    const zoned = body({
      start: "2026-03-10T09:00:00+01:00",
      end: "2026-03-10T09:30:00.000+01:00",
      color: 1,
      format: null,
    });
    const { status, problem } = await post({ ...zoned, should_exclude_pii: null });
    expect(status).toBe(202);
    const { id } = problem as unknown as { id: string };
    const report = await w.client.reports.getReport({ params: { report_id: id } });
    expect(report.interval).toBe("2026-03-10T08:00:00.000Z_2026-03-10T08:30:00.000Z");
  });

  test("an end in the future counts as now", async () => {
    const { id } = await w.client.reports.createReport({ body: body({ end: iso(START_MS + HOUR_MS) }) as never });
    const report = await w.client.reports.getReport({ params: { report_id: id } });
    expect(report.interval).toBe(`${iso(START_MS - HOUR_MS)}_${iso(START_MS)}`);
  });

  const OLDEST = Date.parse("2024-12-10T09:00:00.000Z");
  test.each<[string, object]>([
    ["a transcript of 24 hours", { start: iso(START_MS - DAY_MS) }],
    ["anything else of 31 days", { event: "Message-Sent", start: iso(START_MS - 31 * DAY_MS) }],
    ["15 months ago", { start: iso(OLDEST), end: iso(OLDEST + 1) }],
    ["a millisecond", { start: iso(START_MS - 1) }],
  ])("the limits themselves are accepted: %s", async (_, more) => {
    expect((await post(body(more))).status).toBe(202);
  });

  test.each<[string, object, RegExp]>([
    ["the end before the start", { end: iso(START_MS - 2 * HOUR_MS) }, /^end must be later than start/],
    ["nothing between", { end: iso(START_MS - HOUR_MS) }, /^end must be later than start/],
    ["a start to come", { start: iso(START_MS + 1), end: iso(START_MS + 2) }, /^start must be in the past/],
    ["a start at present", { start: iso(START_MS), end: iso(START_MS + 2) }, /^start must be in the past/],
    [
      "over 15 months ago",
      { start: iso(OLDEST - 1), end: iso(OLDEST) },
      /15 months at most.*2024-12-10T09:00:00\.000Z/,
    ],
    ["a transcript of more than 24 hours", { start: iso(START_MS - DAY_MS - 1) }, /spans 24 hours at most/],
    [
      "anything else of more than 31 days",
      { event: "classic", start: iso(START_MS - 31 * DAY_MS - 1) },
      /31 days at most/,
    ],
    ["a long end to come", { end: iso(START_MS + DAY_MS) }, /spans 24 hours at most/],
    ["the far past", { start: "0001-01-01T00:00:00Z", end: "0001-01-01T01:00:00Z" }, /15 months at most/],
    ["a leap second", { start: "2016-12-31T23:59:60Z" }, /^start/],
  ])("POST /reports/raw 400 INVALID_REPORT_RANGE: %s", async (_, more, words) => {
    const { status, problem } = await post(body(more));
    expect({ status, token: problem.status }).toEqual({ status: 400, token: "INVALID_REPORT_RANGE" });
    expect(problem.message).toMatch(words);
  });

  test.each<[string, unknown, string, string]>([
    ["no event", body({ event: undefined }), "MISSING_PARAMETER", "event"],
    ["no start", body({ start: undefined }), "MISSING_PARAMETER", "start"],
    ["no end", body({ end: null }), "MISSING_PARAMETER", "end"],
    ["nothing", {}, "MISSING_PARAMETER", "start"],
    ["an unknown event", body({ event: "chat-transcript" }), "INVALID_VALUE", "event"],
    ["an empty event", body({ event: "" }), "INVALID_VALUE", "event"],
    ["a name that every object has", body({ event: "constructor" }), "INVALID_VALUE", "event"],
    ["an event of another type", body({ event: ["classic"] }), "INVALID_VALUE", "event"],
    ["another format", body({ format: "json" }), "INVALID_VALUE", "format"],
    ["a start that is not a time", body({ start: "yesterday" }), "INVALID_VALUE", "start"],
    ["a start that is a number", body({ start: START_MS }), "INVALID_VALUE", "start"],
    ["a day that there is not", body({ start: "2026-02-30T00:00:00Z" }), "INVALID_VALUE", "start"],
    ["a date without a time", body({ end: "2026-03-10" }), "INVALID_VALUE", "end"],
    ["a start of control characters", body({ start: "\u0007" }), "INVALID_VALUE", "start"],
    ["a flag that is a word", body({ should_exclude_pii: "yes" }), "INVALID_VALUE", "should_exclude_pii"],
    ["a list", [], "INVALID_VALUE", "body"],
    ["no JSON", "{", "INVALID_JSON", ""],
  ])("POST /reports/raw 400: %s", async (_, input, token, name) => {
    const { status, problem } = await post(input);
    expect({ status, token: problem.status }).toEqual({ status: 400, token });
    expect(problem.message).toContain(name);
  });

  test("POST /reports/raw refuses other media types and methods", async () => {
    expect((await post("a=1", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
    const response = await w.raw("GET", "/v2/reports/raw");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test.each(["x", "00000000-0000-0000-0000-000000000000", "raw", "a".repeat(500)])(
    "GET /reports/raw/{report_id} 404 REPORT_NOT_FOUND: %s",
    async (id) => {
      for (const path of [`/v2/reports/raw/${id}`, `/reports/raw/${id}`]) {
        const response = await w.raw("GET", path);
        expect([response.status, await response.json()]).toEqual([
          404,
          expect.objectContaining({ status: "REPORT_NOT_FOUND" }),
        ]);
      }
    },
  );

  test("another account's report is not found", async () => {
    const { id } = await w.solo.reports.createReport({ body: body() as never });
    await w.solo.reports.getReport({ params: { report_id: id } });
    const response = await w.raw("GET", `/v2/reports/raw/${id}`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ status: "REPORT_NOT_FOUND" }),
    ]);
  });

  test("a token needs report:create to request and report:read to read", async () => {
    const only = async (permission: "report:create" | "report:read") => {
      const { token } = await w.admin.issueToken({ account: "acme", name: permission, permissions: [permission] });
      return parleyClient({ url: w.url, token });
    };
    const [asker, reader] = [await only("report:create"), await only("report:read")];
    const { id } = await asker.reports.createReport({ body: body() as never });
    await expect(asker.reports.getReport({ params: { report_id: id } })).rejects.toThrow(/403 FORBIDDEN.*report:read/);
    expect((await reader.reports.getReport({ params: { report_id: id } })).id).toBe(id);
    await expect(reader.reports.createReport({ body: body() as never })).rejects.toThrow(
      /403 FORBIDDEN.*report:create/,
    );
  });
});

describe("quotas of raw reports", () => {
  let w: ReportsHarness;
  beforeAll(async () => {
    w = await reportsHarness({ config: { reports: { perMinute: 1, perDay: 3, days: 7 } } });
  });
  afterAll(() => w.close());

  const ask = async (event: ReportEvent, of: Pick<ReportsHarness, "url" | "token"> = w) => {
    const range = { start: iso(START_MS - HOUR_MS), end: iso(START_MS) };
    const response = await fetch(`${of.url}/v2/reports/raw`, {
      method: "POST",
      headers: { authorization: `Bearer ${of.token}`, "content-type": "application/json" },
      body: JSON.stringify({ event, ...range }),
    });
    const { status } = (await response.json()) as Problem;
    return [response.status, response.status === 429 ? status : null, response.headers.get("retry-after")];
  };
  const ACCEPTED = [202, null, null];
  const refused = (seconds: number) => [429, "REPORT_QUOTA_EXCEEDED", String(seconds)];

  test("POST /reports/raw 429 REPORT_QUOTA_EXCEEDED: one per minute and three per day for each event and account, by the service's clock", async () => {
    expect(await ask("classic")).toEqual(ACCEPTED);
    expect(await ask("classic")).toEqual(refused(60));
    expect(await ask("CSAT-Score")).toEqual(ACCEPTED);
    await w.solo.reports.createReport({
      body: { event: "classic", start: iso(START_MS - HOUR_MS), end: iso(START_MS) },
    });
    w.advance(59_001);
    expect(await ask("classic")).toEqual(refused(1));
    w.advance(999);
    expect(await ask("classic")).toEqual(ACCEPTED);
    w.advance(60_000);
    expect(await ask("classic")).toEqual(ACCEPTED);
    w.advance(60_000);
    expect(await ask("classic")).toEqual(refused(24 * 3_600 - 180));
    w.advance(DAY_MS - 180_000);
    expect(await ask("classic")).toEqual(ACCEPTED);
    expect(await ask("classic")).toEqual(refused(60));
  });

  test("two processes count together, and a refused range does not count", async () => {
    const other = await reportsHarness({
      database: w.database,
      objectsFolder: w.objectsFolder,
      ports: { now: w.now },
      config: { reports: { perMinute: 1, perDay: 3, days: 7 } },
    });
    try {
      const wrong = body({ event: "Response-Time", end: iso(START_MS - 2 * HOUR_MS) });
      await expect(w.client.reports.createReport({ body: wrong as never })).rejects.toThrow(/INVALID_REPORT_RANGE/);
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) => ask("Response-Time", index % 2 ? w : other)),
      );
      expect(responses.filter(([code]) => code === 202)).toHaveLength(1);
      expect(responses.filter(([code]) => code === 429)).toHaveLength(7);
    } finally {
      await other.close();
    }
  });
});
