import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import type { ImportedRecord, ImportProgress } from "@parley/contract";
import { statement, type Database } from "@parley/database";
import { testDatabase, testUrl } from "@parley/database/testing";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { callParley } from "./command-call.ts";

let work: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Database;
let env: Record<string, string>;
beforeAll(async () => {
  [work, database] = await Promise.all([temporaryFolder(), testDatabase()]);
  const pool = database.pool("public", { max: 1 });
  const found = await pool.one<{ name: string }>(statement("", "select current_database() as name"), []);
  await pool.end();
  env = { DATABASE_URL: testUrl(found?.name ?? ""), PARLEY_DATA: join(work.folder, "data") };
});
afterAll(() => Promise.all([database.close(), work.remove()]));

const AT = "2024-05-01T10:00:00.000Z";
const RECORDS: readonly object[] = [
  { type: "account", name: "shop", channels: [{ name: "Inbox" }] },
  { type: "user", id: "u-1", created_time: AT, first_name: "Ana" },
  { type: "conversation", conversation_id: "c-1", channel_id: "Inbox", user_id: "u-1", created_time: AT },
  { type: "message", id: "m-1", conversation_id: "c-1", actor_type: "user", message_parts: [], created_time: AT },
];
const file = async (name: string, records: readonly object[]): Promise<string> => {
  const path = join(work.folder, name);
  await writeFile(path, records.map((record) => JSON.stringify(record)).join("\n"));
  return path;
};
const take = async (command: typeof parley, path: string): Promise<ImportProgress> => {
  const { status, stdout, stderr } = await command(["import", "--json", path], { env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as ImportProgress;
};

test("two concurrent imports into a new database migrate it once and create each record once", async () => {
  const path = await file("shop.ndjson", RECORDS);
  const done = await Promise.all([take(parley, path), take(parley, path)]);
  const sum = (name: "created" | "unchanged") => done.reduce((all, each) => all + each[name], 0);
  expect(done.map((each) => each.done)).toEqual([true, true]);
  expect([sum("created"), sum("unchanged")]).toEqual([4, 4]);
});

test("parley import accepts the output of parley export under another account name", async () => {
  const path = join(work.folder, "out.ndjson.gz");
  const { status, stdout } = await callParley(["export", "shop", "--file", path, "--json"], { env });
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { records: 4 }]);
  const lines = gunzipSync(await readFile(path))
    .toString()
    .trim()
    .split("\n");
  const records = lines.map((line) => JSON.parse(line) as ImportedRecord);
  expect(records.map(({ type }) => type)).toEqual(["account", "user", "conversation", "message", "end"]);
  expect(await take(callParley, path)).toMatchObject({ line: 5, created: 0, unchanged: 4 });
});

test("parley import names a rejected line and a next step", async () => {
  const path = await file("wrong.ndjson", [...RECORDS, { type: "user", id: "u-2" }]);
  const { status, stdout, stderr } = await callParley(["import", path], { env });
  expect(status).toBe(1);
  expect(stdout).toContain("Stopped");
  expect(stderr).toContain(`${path}:5: MISSING_PARAMETER: created_time is mandatory`);
  expect(stderr).toMatch(/\nparley: Line 5 is invalid; the lines before it were imported[^\n]+\n$/);
});

campaignTest(
  "a command rejects data of a newer release and leaves it unchanged",
  async () => {
    const pool = database.pool("parley_service", { max: 1 });
    await pool.rows(statement("", "insert into migrations (id, name) values (9999, 'later')"), []);
    await pool.end();
    const { status, stdout, stderr } = await callParley(["export", "shop"], { env });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^parley: The schema "parley_service" has migration 9999 \(later\)[^\n]+\n$/);
  },
  120_000,
);

test.each([
  [["import", "/none/such.ndjson"], "ENOENT"],
  [["import", "-", "--present", "perhaps"], "--present"],
  [["export", "--since", "yesterday"], "--since"],
  [["export", "--json"], "--file"],
])("parley %j is rejected with status 1", async (args, reason) => {
  const { status, stdout, stderr } = await callParley(args, { env });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(reason);
});

test.each(["import", "export", "backup", "restore"])("parley %s has --help with examples", async (command) => {
  const { status, stdout } = await callParley([command, "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("Examples");
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});
