import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { migrate, statement, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { MIGRATIONS, realPorts, SCHEMA } from "../../src/index.ts";
import { serviceProcess } from "../events/process.ts";
import { channelOf, talk } from "../events/talk.ts";
import { until } from "../jobs/scene.ts";
import { world } from "../world.ts";
import { DAY, download, finished, FREE, HOUR, MINUTE, reportOf, reportWorld, type ReportWorld } from "./scene.ts";

/** As many messages as are asked for into the last hour, at once. */
const FILL = statement(
  "",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select fresh.id, m.conversation_id, m.seq + n, m.created_time - n * interval '1 millisecond', m.interaction_id,
          jsonb_set(m.body::jsonb, '{id}', to_jsonb(fresh.id))::text
     from messages m, generate_series(1, $2::integer) n, lateral (select gen_random_uuid() as id, n) fresh
    where m.conversation_id = $1`,
);

const hrefsOf = ({ links }: Awaited<ReturnType<typeof finished>>) => links.map(({ link }) => link?.href ?? "");

describe("the files of a raw report", () => {
  let w: ReportWorld;
  beforeEach(async () => {
    w = await reportWorld();
  });
  afterEach(() => w.close());

  /** Paths of the objects that are kept. */
  const kept = async () => {
    const entries = await readdir(w.objectsFolder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };

  test("of a day each hold every message of it once, whatever the moment", async () => {
    const { say, conversationId } = await talk(w, await channelOf(w), "0");
    const begun = w.now().getTime();
    for (const ms of [1, DAY - 2, 1, 1, DAY - 1, 1, DAY / 2]) {
      w.forward(ms);
      await say(String(w.now().getTime() - begun));
    }
    w.forward(HOUR);
    const { report, files } = await reportOf(w, "Message-Sent", { start: new Date(begun).toISOString() });
    expect(report.links.map(({ from, to }) => Date.parse(to) - Date.parse(from))).toEqual([
      DAY,
      DAY,
      DAY / 2 + HOUR + 1,
    ]);
    expect(files.map(({ rows }) => rows.map(({ created_at }) => Date.parse(created_at ?? "") - begun))).toEqual([
      [0, 1, DAY - 1],
      [DAY, DAY + 1],
      [2 * DAY, 2 * DAY + 1, 2.5 * DAY + 1],
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

  test("are read without a token for an hour, then by the address of the next poll", async () => {
    const { report } = await reportOf(w, "classic");
    const [href = ""] = hrefsOf(report);
    const answer = await fetch(href);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/zip");
    expect(answer.headers.get("content-disposition")).toContain('filename="classic_2026-');
    expect((await fetch(href.replace("signature=", "signature=x"))).status).toBe(403);
    w.forward(HOUR - 1);
    expect((await fetch(href)).status).toBe(200);
    w.forward(1);
    expect((await fetch(href)).status).toBe(403);
    const again = hrefsOf(await finished(w.client, report.id));
    expect(again).not.toEqual([href]);
    expect((await download(again[0] ?? "")).header).toContain("reopened");
  });

  test("are removed after seven days, and the report with them", async () => {
    const { report } = await reportOf(w, "Message-Sent", {
      start: new Date(w.now().getTime() - 3 * DAY).toISOString(),
    });
    expect(await kept()).toHaveLength(3);
    w.forward(7 * DAY - MINUTE);
    const [href = ""] = hrefsOf(await finished(w.client, report.id));
    w.forward(MINUTE);
    await until(async () => (await kept()).length === 0);
    await until(async () => (await w.raw("GET", `/v2/reports/raw/${report.id}`)).status === 404);
    expect((await fetch(href)).status).toBe(404);
    expect(w.lines).toEqual([]);
  });

  test("are tried again, and FAILED after four tries", async () => {
    const place = join(w.objectsFolder, "reports");
    await writeFile(place, "in the way");
    const body = {
      event: "classic",
      start: new Date(w.now().getTime() - HOUR).toISOString(),
      end: w.now().toISOString(),
    } as const;
    const failing = await w.client.reports.createReport({ body });
    const tries = async () => (await triesOf(w))[0] ?? 0;
    for (const [index, seconds] of [1, 10, 60].entries()) {
      await until(async () => (await tries()) === index + 1);
      const report = await w.client.reports.getReport({ params: { report_id: failing.id } });
      expect(report).toMatchObject({ status: "PENDING", links: [{ status: "IN_PROGRESS" }] });
      expect(report.links[0]?.link).toBeUndefined();
      w.forward(seconds * 1000);
    }
    const report = await finished(w.client, failing.id);
    expect(report).toMatchObject({ status: "FAILED", links: [{ status: "FAILED" }] });
    expect(report.links[0]?.link).toBeUndefined();
    expect(w.lines).toEqual([expect.stringMatching(/^reports: classic failed: .*ENOTDIR/)]);

    const mended = await w.client.reports.createReport({ body });
    await until(async () => (await tries()) === 1);
    await rm(place);
    w.forward(1_000);
    expect((await finished(w.client, mended.id)).status).toBe("COMPLETED");
    expect((await kept()).length).toBe(1);
  });

  test("are shared by two processes", async () => {
    const other = await reportWorld({ database: w.database, objectsFolder: w.objectsFolder, ports: { now: w.now } });
    try {
      const start = new Date(w.now().getTime() - 31 * DAY).toISOString();
      const body = { event: "Message-Sent", start, end: w.now().toISOString() } as const;
      const { id } = await w.client.reports.createReport({ body });
      const report = await finished(other.client, id);
      expect(report.status).toBe("COMPLETED");
      expect(report.links).toHaveLength(31);
      expect(await kept()).toHaveLength(31);
      const [first] = await Promise.all(hrefsOf(report).map(download));
      expect(first?.rows).toEqual([]);
      expect([...w.lines, ...other.lines]).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

const TRIES = statement("", "select tries from due_work where task = 'report_link' and not queued order by id desc");
/** Of the files that wait for their next try. */
const triesOf = async ({ database }: ReportWorld): Promise<number[]> => {
  const pool = database.pool(SCHEMA, { max: 1 });
  const rows = await pool.rows<{ tries: number }>(TRIES, []);
  await pool.end();
  return rows.map(({ tries }) => tries);
};

test("a report whose process is killed in the middle of a file is finished by the next start", async () => {
  const run = (fresh: Database) => migrate(fresh, SCHEMA, MIGRATIONS);
  const database = await testDatabase({ key: `service ${JSON.stringify(MIGRATIONS)}`, run });
  const objectsFolder = await mkdtemp(join(tmpdir(), "parley-objects-"));
  const child = await serviceProcess(database, objectsFolder);
  const { conversationId } = await talk(child, await channelOf(child));
  const pool = database.pool(SCHEMA, { max: 1 });
  const MESSAGES = 30_000;
  await pool.rows(FILL, [conversationId, MESSAGES]);
  await pool.end();
  const now = realPorts.now();
  const start = new Date(now.getTime() - 20 * HOUR).toISOString();
  const { id } = await child.client.reports.createReport({
    body: { event: "Chat-Transcript", start, end: new Date(now.getTime() + HOUR).toISOString() },
  });
  const isWriting = async () => {
    const { links } = await child.client.reports.getReport({ params: { report_id: id } });
    // What arrives may be done with while it is looked at.
    const entries = await readdir(objectsFolder, { recursive: true }).catch(() => []);
    return (
      links.slice(0, -1).every(({ status }) => status === "COMPLETED") &&
      entries.some((name) => name.endsWith("/content"))
    );
  };
  await until(isWriting);
  await child.kill();

  const next = await world({ database, objectsFolder, config: { reports: FREE } });
  try {
    expect((await next.client.reports.getReport({ params: { report_id: id } })).status).toBe("PENDING");
    const report = await finished(next.client, id);
    expect(report.status).toBe("COMPLETED");
    const files = await Promise.all(hrefsOf(report).map(download));
    const ids = files.flatMap(({ rows }) => rows.map(({ message_id }) => message_id));
    expect(new Set(ids).size).toBe(MESSAGES + 1);
    expect(ids).toHaveLength(MESSAGES + 1);
  } finally {
    await next.close();
    await database.close();
    await rm(objectsFolder, { recursive: true, force: true });
  }
});
