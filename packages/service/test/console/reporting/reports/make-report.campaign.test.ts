import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, statement, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, realPorts, SERVICE_SCHEMA } from "../../../../src/index.ts";
import { serviceProcess } from "../../../service-process.ts";
import { firstChannelId, conversationFixture } from "../../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness } from "../../../service-harness.ts";
import {
  DAY_MS,
  download,
  finishedReport,
  UNLIMITED_QUOTA,
  HOUR_MS,
  MINUTE_MS,
  downloadedReport,
  reportsHarness,
  type ReportsHarness,
} from "./reports-harness.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";

const hrefsOf = ({ links }: Awaited<ReturnType<typeof finishedReport>>) => links.map(({ link }) => link?.href ?? "");

describe("the files of a raw report", () => {
  let w: ReportsHarness;
  beforeAll(async () => {
    w = await reportsHarness();
  });
  afterAll(() => w.close());

  /** Names of the stored objects of a report. */
  const fileUrl = async (id: string) => {
    const entries = await readdir(w.objectsFolder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && entry.parentPath.endsWith(id)).map(({ name }) => name);
  };

  test("of a day contain every message of the day exactly once, regardless of the time", async () => {
    const { sendMessage, conversationId } = await conversationFixture(w, await firstChannelId(w), "0");
    const started = w.now().getTime();
    for (const ms of [1, DAY_MS - 2, 1, 1, DAY_MS - 1, 1, DAY_MS / 2]) {
      w.advance(ms);
      await sendMessage(String(w.now().getTime() - started));
    }
    w.advance(HOUR_MS);
    const { report, files } = await downloadedReport(w, "Message-Sent", { start: new Date(started).toISOString() });
    expect(report.links.map(({ from, to }) => Date.parse(to) - Date.parse(from))).toEqual([
      DAY_MS,
      DAY_MS,
      DAY_MS / 2 + HOUR_MS + 1,
    ]);
    expect(files.map(({ rows }) => rows.map(({ created_at }) => Date.parse(created_at ?? "") - started))).toEqual([
      [0, 1, DAY_MS - 1],
      [DAY_MS, DAY_MS + 1],
      [2 * DAY_MS, 2 * DAY_MS + 1, 2.5 * DAY_MS + 1],
    ]);
    const all = files.flatMap(({ rows }) => rows.map(({ message_id }) => message_id));
    const { messages } = await w.client.messages.listMessages({
      params: { conversation_id: conversationId },
      query: { items_per_page: 50 },
    });
    expect(new Set(all)).toEqual(new Set(messages.map(({ id }) => id)));
    expect(all).toHaveLength(messages.length);
    expect(files.map(({ fileName }) => fileName)[0]).toBe(
      "Message-Sent_2026-03-10T09-00-00.000Z_2026-03-11T09-00-00.000Z.csv",
    );
  });

  test("are readable without a token for an hour, then by the link of the next poll", async () => {
    const { report } = await downloadedReport(w, "classic");
    const [href = ""] = hrefsOf(report);
    const response = await fetch(href);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toContain('filename="classic_2026-');
    expect((await fetch(href.replace("signature=", "signature=x"))).status).toBe(403);
    w.advance(HOUR_MS - 1_000);
    expect((await fetch(href)).status).toBe(200);
    w.advance(1_000);
    expect((await fetch(href)).status).toBe(403);
    const again = hrefsOf(await finishedReport(w.client, report.id));
    expect(again).not.toEqual([href]);
    expect((await download(again[0] ?? "")).header).toContain("reopened");
  });

  test("are removed after seven days together with the report", async () => {
    const { report } = await downloadedReport(w, "Message-Sent", {
      start: new Date(w.now().getTime() - 3 * DAY_MS).toISOString(),
    });
    expect(await fileUrl(report.id)).toHaveLength(3);
    w.advance(7 * DAY_MS - MINUTE_MS);
    const [href = ""] = hrefsOf(await finishedReport(w.client, report.id));
    w.advance(MINUTE_MS);
    await waitUntil(async () => (await fileUrl(report.id)).length === 0);
    await waitUntil(async () => (await w.raw("GET", `/v2/reports/raw/${report.id}`)).status === 404);
    expect((await fetch(href)).status).toBe(404);
    expect(w.logLines).toEqual([]);
  });

  test("are retried, and FAILED after four attempts", async () => {
    const place = join(w.objectsFolder, "reports");
    await rm(place, { recursive: true, force: true });
    await writeFile(place, "in the way");
    const body = {
      event: "classic",
      start: new Date(w.now().getTime() - HOUR_MS).toISOString(),
      end: w.now().toISOString(),
    } as const;
    const failing = await w.client.reports.createReport({ body });
    const tries = async () => (await triesOf(w))[0] ?? 0;
    for (const [index, seconds] of [1, 10, 60].entries()) {
      await waitUntil(async () => (await tries()) === index + 1);
      const report = await w.client.reports.getReport({ params: { report_id: failing.id } });
      expect(report).toMatchObject({ status: "PENDING", links: [{ status: "IN_PROGRESS" }] });
      expect(report.links[0]?.link).toBeUndefined();
      w.advance(seconds * 1000);
    }
    const report = await finishedReport(w.client, failing.id);
    expect(report).toMatchObject({ status: "FAILED", links: [{ status: "FAILED" }] });
    expect(report.links[0]?.link).toBeUndefined();
    expect(w.logLines).toEqual([
      expect.stringMatching(/^error: objects: The folder of uploads .*ENOTDIR/),
      expect.stringMatching(/^error: reports: classic failed: .*ENOTDIR/),
    ]);

    const mended = await w.client.reports.createReport({ body });
    await waitUntil(async () => (await tries()) === 1);
    await rm(place);
    w.advance(1_000);
    expect((await finishedReport(w.client, mended.id)).status).toBe("COMPLETED");
    expect(await fileUrl(mended.id)).toHaveLength(1);
  });

  test("are distributed between two processes", async () => {
    const other = await reportsHarness({ database: w.database, objectsFolder: w.objectsFolder, ports: { now: w.now } });
    try {
      const start = new Date(w.now().getTime() - 31 * DAY_MS).toISOString();
      const body = { event: "Message-Sent", start, end: w.now().toISOString() } as const;
      const { id } = await w.client.reports.createReport({ body });
      const report = await finishedReport(other.client, id);
      expect(report.status).toBe("COMPLETED");
      expect(report.links).toHaveLength(31);
      expect(await fileUrl(id)).toHaveLength(31);
      const [first] = await Promise.all(hrefsOf(report).map(download));
      expect(first?.rows).toEqual([]);
      expect(other.logLines).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

const TRIES = statement("", "select tries from due_work where task = 'report_link' and not queued order by id desc");
/** Attempts of the files that wait for their next attempt. */
const triesOf = async ({ database }: ReportsHarness): Promise<number[]> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  const rows = await pool.rows<{ tries: number }>(TRIES, []);
  await pool.end();
  return rows.map(({ tries }) => tries);
};

test("a report whose process is killed while it writes a file is completed by the next start", async () => {
  const run = (fresh: Database) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const database = await testDatabase({ key: `service ${JSON.stringify(SERVICE_MIGRATIONS)}`, run });
  const objectsFolder = await mkdtemp(join(tmpdir(), "parley-objects-"));
  const ends: (() => Promise<unknown>)[] = [() => database.close(), () => rm(objectsFolder, { recursive: true })];
  try {
    const child = await serviceProcess(database, objectsFolder);
    ends.unshift(() => child.kill());
    const { sendMessage } = await conversationFixture(child, await firstChannelId(child), "first");
    await sendMessage("second");
    // Readers of messages wait, so that the file stays at its start.
    const barrier = await database.connect(SERVICE_SCHEMA);
    await barrier.script("begin; lock table messages in access exclusive mode");
    const now = realPorts.now().getTime();
    const { id } = await child.client.reports.createReport({
      body: {
        event: "Chat-Transcript",
        start: new Date(now - HOUR_MS).toISOString(),
        end: new Date(now + HOUR_MS).toISOString(),
      },
    });
    const isWriting = async () =>
      (await readdir(objectsFolder, { recursive: true })).some((name) => name.endsWith("/content"));
    await waitUntil(isWriting);
    await child.kill();
    await barrier.script("rollback");

    const next = await serviceHarness({ database, objectsFolder, config: { reports: UNLIMITED_QUOTA } });
    ends.unshift(() => next.close());
    expect((await next.client.reports.getReport({ params: { report_id: id } })).status).toBe("PENDING");
    const report = await finishedReport(next.client, id);
    expect(report.status).toBe("COMPLETED");
    const files = await Promise.all(hrefsOf(report).map(download));
    expect(files.flatMap(({ rows }) => rows.map(({ message }) => message))).toEqual(["first", "second"]);
  } finally {
    for (const end of ends) await end();
  }
});
