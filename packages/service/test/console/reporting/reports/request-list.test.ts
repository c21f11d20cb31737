import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ReportRequest, ReportRules } from "@parley/contract";
import { consoleHarness, type ConsoleHarness } from "../../console-harness.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, START_MS, UNLIMITED_QUOTA, finishedReport } from "./reports-harness.ts";

/** The list of requested reports that the console shows. */

interface RequestPage {
  readonly reports: readonly ReportRequest[];
  readonly next?: string;
  readonly rules: ReportRules;
}

let time = START_MS;
const iso = (ms: number) => new Date(ms).toISOString();

let s: ConsoleHarness;
beforeAll(async () => {
  s = await consoleHarness({ ports: { now: () => new Date(time) }, config: { reports: UNLIMITED_QUOTA } });
}, 60_000);
afterAll(() => s.close());
beforeEach(() => s.sql("delete from reports"));

const list = async (query = ""): Promise<RequestPage> =>
  (await s.call<RequestPage>(s.maya, "GET", `/report-requests${query}`)).body;
const create = async (more: object = {}): Promise<string> => {
  const body = { event: "CSAT-Score", start: iso(time - HOUR_MS), end: iso(time), ...more };
  return (await s.client.reports.createReport({ body: body as never })).id;
};

describe("the requested reports of an account", () => {
  test("GET /console/api/report-requests 200: requests of tokens and agents with their state, the newest first", async () => {
    const older = await create({
      event: "Chat-Transcript",
      start: iso(time - 13 * HOUR_MS),
      should_exclude_pii: true,
    });
    time += MINUTE_MS;
    const requested = await s.page<{ readonly id: string }>("POST", "/v2/reports/raw", {
      session: s.maya.session,
      body: { event: "CSAT-Score", start: iso(time - HOUR_MS), end: iso(time) },
    });
    await finishedReport(s.client, older);
    await finishedReport(s.client, requested.body.id);
    expect((await list()).reports).toEqual([
      {
        id: requested.body.id,
        event: "CSAT-Score",
        status: "COMPLETED",
        start: iso(time - HOUR_MS),
        end: iso(time),
        excludes_pii: false,
        created_time: iso(time),
        expires_time: iso(time + 7 * DAY_MS),
        files: 1,
      },
      {
        id: older,
        event: "Chat-Transcript",
        status: "COMPLETED",
        start: iso(time - MINUTE_MS - 13 * HOUR_MS),
        end: iso(time - MINUTE_MS),
        excludes_pii: true,
        created_time: iso(time - MINUTE_MS),
        expires_time: iso(time - MINUTE_MS + 7 * DAY_MS),
        files: 3,
      },
    ]);
  });

  test("a report is pending while a file is made, and failed if one could not be made", async () => {
    const id = await create();
    await finishedReport(s.client, id);
    const statusWith = async (status: string) => {
      await s.sql("update report_links set status = $2 where report_id = $1", [id, status]);
      return (await list()).reports[0]?.status;
    };
    expect(await statusWith("IN_PROGRESS")).toBe("PENDING");
    expect(await statusWith("FAILED")).toBe("FAILED");
  });

  test("pages follow each other without gaps, also among requests of the same millisecond", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await create());
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(`?limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`);
      expect(page.reports.length).toBeLessThanOrEqual(2);
      read.push(...page.reports.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(read.length).toBe(5);
    expect([...read].sort()).toEqual([...ids].sort());
  });

  test("nothing follows a cursor that is not an id, and one of another account", async () => {
    await create();
    const body = { event: "CSAT-Score" as const, start: iso(time - HOUR_MS), end: iso(time) };
    const { id } = await s.solo.reports.createReport({ body });
    for (const cursor of ["none", id]) expect((await list(`?cursor=${cursor}`)).reports).toEqual([]);
    expect((await list()).reports.map((report) => report.id)).not.toContain(id);
  });

  test("the rules are those that requests are held to", async () => {
    const { rules } = await list();
    expect(rules).toMatchObject({
      per_minute: UNLIMITED_QUOTA.perMinute,
      per_day: UNLIMITED_QUOTA.perDay,
      kept_days: 7,
      months_back: 15,
      link_seconds: 3_600,
    });
    for (const { event, longest_range_seconds } of rules.events) {
      const start = time - longest_range_seconds * 1_000;
      await create({ event, start: iso(start) });
      await expect(create({ event, start: iso(start - 1) })).rejects.toThrow(/INVALID_REPORT_RANGE/);
    }
  });
});
