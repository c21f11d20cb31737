import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { joinDatabase, migrate, type Database, type Pool } from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { waitUntil } from "../../../test/support/wait-until.ts";
import {
  familyOf,
  killAll,
  parley,
  ROOT,
  startParley,
  survivors,
  temporaryFolder,
} from "../../../test/support/parley-process.ts";
import { appTableContents, fillAppTables, rowsOf, TRICKY_JSON } from "./app-data-fixture.ts";

/** Data of apps when their account is closed, deleted, exported and imported, and in a backup. */

const data = await temporaryFolder();
const PARLEY = join(ROOT, "packages/parley/bin/parley.mjs");
const { NODE_OPTIONS: _, DATABASE_URL: __, PARLEY_SECRETS_KEY: ___, ...rest } = process.env;
const env = { ...rest, PARLEY_DATA: data.folder, PARLEY_APP_PORT: "0" };
const at = (folder: string) => ({ env: { PARLEY_DATA: folder } });

interface RunningServe {
  readonly child: ChildProcess;
  readonly origin: string;
}
/** Without the platform, which would send the reports of changes that the tests write, and remove them. */
const serve = async (): Promise<RunningServe> => {
  const args = ["serve", "--only", "service", "--workers", "2", "--port", "0", "--demo", "--json"];
  const child = spawn(process.execPath, [PARLEY, ...args], {
    cwd: data.folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await waitUntil(() => stdout.includes("\n") || child.exitCode !== null);
  return { child, origin: new URL((JSON.parse(stdout) as { service: string }).service).origin };
};
const end = async ({ child }: RunningServe, signal: NodeJS.Signals): Promise<void> => {
  const family = await familyOf(child.pid ?? 0);
  if (signal === "SIGKILL") killAll(family);
  child.kill(signal);
  killAll(await survivors(family, 8_000));
};

let running: RunningServe;
let database: Database;
let apps: Pool;
let service: Pool;
const joinApps = async (folder: string) => {
  const joined = await joinDatabase({ dataFolder: folder, url: undefined, log: () => undefined });
  return { joined, pool: joined.pool(APP_SCHEMA, { max: 2 }) };
};
const open = async () => {
  ({ joined: database, pool: apps } = await joinApps(data.folder));
  service = database.pool("parley_service", { max: 2 });
};
const close = async () => {
  await Promise.all([apps.end(), service.end()]);
  await database.close();
};
beforeAll(async () => {
  running = await serve();
  await open();
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
});
afterAll(async () => {
  await close();
  await end(running, "SIGTERM");
  await data.remove();
});

const run = (text: string, values: readonly unknown[] = [], pool = apps) => rowsOf(pool, text, values);

const tablesOfAccounts = `select table_name as name from information_schema.columns
   where table_schema = 'parley_apps' and column_name = 'account' order by 1`;
const countsOf = async (account: string): Promise<Record<string, number>> => {
  const names = (await run(tablesOfAccounts)) as { name: string }[];
  const counts: Record<string, number> = {};
  for (const { name } of names) {
    const [row] = (await run(`select count(*)::integer as count from ${name} where account = $1`, [account])) as {
      count: number;
    }[];
    counts[name] = row?.count ?? 0;
  }
  return counts;
};
const admin = async (method: string, path: string) => {
  const key = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();
  const reply = await fetch(`${running.origin}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  return { code: reply.status, text: await reply.text() };
};
const isMarkedClosed = async (account: string) =>
  (await run("select 1 from closed_accounts where account = $1", [account])).length > 0;

test("a backup contains every row of apps byte for byte, without the rows of running processes", async () => {
  const id = await fillAppTables(apps, "acme", 10);
  await fillAppTables(apps, "twin", 10);
  await run("insert into apps values ('demo', '{acme,twin}', now())");
  await run(
    `insert into app_versions values ('demo', '1.0.0', 1, 'd', decode(repeat('00ff0a0d5c22', 400000), 'hex'), $1::text, $1::text::jsonb, null, now())`,
    [TRICKY_JSON],
  );
  const process_id = randomUUID();
  await run("insert into platform_processes values ($1, 'http://127.0.0.1:1', 1, now() + interval '1 day')", [
    process_id,
  ]);
  await run("insert into installation_leases values ($1, $2, now())", [id, process_id]);
  await run("insert into delegated_requests values ($1, now())", [randomUUID()]);
  const before = await appTableContents(apps);
  expect([...before].filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual([
    "closed_accounts",
    "handled_events",
  ]);
  const backup = join(data.folder, "backup");
  const restored = join(data.folder, "restored");
  expect((await parley(["backup", backup], at(data.folder))).status).toBe(0);
  expect(await parley(["restore", backup], at(restored))).toMatchObject({ status: 0, stderr: "" });
  const other = await joinApps(restored);
  expect(await appTableContents(other.pool)).toEqual(before);
  expect(await run("select id from platform_processes", [], other.pool)).toEqual([]);
  await other.pool.end();
  await other.joined.close();
  await run("delete from platform_processes");
});

interface ExportedLine {
  readonly type: string;
  readonly secure_parameters?: readonly string[];
}
test("an export contains the data of apps without secure values, and an import brings it back as a paused installation", async () => {
  const file = join(data.folder, "acme.ndjson");
  expect((await parley(["export", "acme", "--file", file], at(data.folder))).status).toBe(0);
  const text = await readFile(file, "utf8");
  expect(text).not.toContain("c2VhbGVk");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ExportedLine);
  const ofApps = lines.filter(({ type }) => /^(installation|app_)/.test(type));
  expect(ofApps.map(({ type }) => type)).toEqual([
    "installation",
    "app_record",
    "app_record",
    "app_entity",
    "app_schedule",
  ]);
  expect(ofApps[0]).toMatchObject({
    app: "demo",
    version: "1.0.0",
    parameters: JSON.parse(TRICKY_JSON) as unknown,
    secure_parameters: ["key"],
  });
  const overHttp = await admin("GET", "/admin/export?account=acme");
  expect(overHttp.text.split("\n").filter((line) => /"type":"(installation|app_)/.test(line))).toHaveLength(5);

  const target = join(data.folder, "copy.ndjson");
  const ownLines = lines.filter(({ type }) => type === "account" || /^(installation|app_)/.test(type));
  await writeFile(target, ownLines.map((line) => JSON.stringify(line)).join("\n"));
  const args = ["import", target, "--account", "copy", "--json"];
  const notPublished = await parley(args, at(data.folder));
  expect(JSON.parse(notPublished.stdout)).toMatchObject({ done: true, skipped: 5 });
  await run("update apps set accounts = null");
  expect(JSON.parse((await parley([...args, "--dry-run"], at(data.folder))).stdout)).toMatchObject({ created: 5 });
  expect(await countsOf("copy")).toMatchObject({ installations: 0, records: 0 });
  expect(JSON.parse((await parley(args, at(data.folder))).stdout)).toMatchObject({ created: 5 });
  expect(JSON.parse((await parley(args, at(data.folder))).stdout)).toMatchObject({ created: 0, unchanged: 6 });
  const [installation] = (await run("select * from installations where account = 'copy'")) as Record<string, unknown>[];
  expect(installation).toMatchObject({ state: "paused", app_version: "1.0.0", secure: {}, given: TRICKY_JSON });
  for (const table of ["records", "schedules", "entity_records"]) {
    const storedRows = async (account: string) =>
      (await run(
        `select to_jsonb(t) - 'account' - 'updated_time' - 'created_time' as row from ${table} t where account = $1 order by 1`,
        [account],
      )) as object[];
    expect(await storedRows("copy")).toEqual(await storedRows("acme"));
  }
  await run("update records set value = '2' where account = 'copy' and key = 'b'");
  const conflict = await parley(args, at(data.folder));
  expect(JSON.parse(conflict.stdout)).toMatchObject({ problems: [{ status: "CONFLICT" }] });
  expect(JSON.parse((await parley([...args, "--present", "update"], at(data.folder))).stdout)).toMatchObject({
    updated: 1,
  });
  await run("update apps set accounts = '{acme,twin}'");
});

test("a close marks the account for the platform, and a reopening removes the mark", async () => {
  await admin("DELETE", "/admin/accounts/acme");
  expect([await isMarkedClosed("acme"), await isMarkedClosed("twin")]).toEqual([true, false]);
  // A close whose mark is lost, as in a backup of an earlier release.
  await run("delete from closed_accounts");
  await waitUntil(() => isMarkedClosed("acme"));
  expect((await admin("POST", "/admin/accounts/acme/reopening")).code).toBe(200);
  expect(await isMarkedClosed("acme")).toBe(false);
});

test("the deletion of an account deletes its data of apps, also after kill -9, and leaves the other account as it was", async () => {
  await run(
    `insert into invocations select gen_random_uuid()::text, 'demo', 'acme', 'event', 'e', 'h', null, now(), true, repeat('x', 500)
       from generate_series(1, 60000)`,
  );
  const before = await appTableContents(apps, "where to_jsonb(t) ->> 'account' = 'twin'");
  await admin("DELETE", "/admin/accounts/acme?after_days=0");
  await run(
    "update accounts set closed_time = now() - interval '1 hour', deletion_time = now() where name = 'acme'",
    [],
    service,
  );
  const left = await waitUntil(async () => {
    const { invocations = 0 } = await countsOf("acme");
    return invocations < 60_000 && invocations;
  });
  expect(left).toBeGreaterThan(0);
  await end(running, "SIGKILL");
  await close();
  running = await serve();
  await open();
  const isThere = async () =>
    (await run("select 1 from accounts where name = 'acme' and closed_time is not null", [], service)).length > 0;
  await waitUntil(async () => !(await isThere()), { timeoutMs: 60_000 });
  const counts = await countsOf("acme");
  expect(Object.keys(counts).length).toBeGreaterThan(12);
  expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
  expect(await run("select accounts from apps")).toEqual([{ accounts: ["twin"] }]);
  expect(await appTableContents(apps, "where to_jsonb(t) ->> 'account' = 'twin'")).toEqual(before);
});

test("parley start marks a closed account, too", async () => {
  const folder = join(data.folder, "local");
  const instance = await startParley(folder, { args: ["--no-install"] });
  const other = await joinApps(folder);
  try {
    const key = (await readFile(join(folder, "admin-key"), "utf8")).trim();
    const { origin } = new URL(instance.service);
    await fetch(`${origin}/admin/accounts/acme`, { method: "DELETE", headers: { authorization: `Bearer ${key}` } });
    expect(await run("select account from closed_accounts", [], other.pool)).toEqual([{ account: "acme" }]);
  } finally {
    await other.pool.end();
    await other.joined.close();
    await instance.stop();
  }
});
