import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { migrate, openDatabase, statement, type Database } from "@parley/database";
import { ignorePreparedCluster, startOwnServer } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import type { UpgradeReport } from "../src/upgrade/check.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley upgrade` and its check, on databases of earlier releases. */

ignorePreparedCluster();

const temporary = fileFixture(() => temporaryFolder("parley-upgrade-command-"));
const server = fileFixture(() =>
  startOwnServer({ dataFolder: join(temporary.folder, "server"), settings: { max_connections: "60" } }),
);

/** A database as a release with these migrations left it. */
const databaseOf = async (name: string, service: number, platform: number) => {
  const url = await server.createDatabase(name);
  const database = await openDatabase({ dataFolder: "", url });
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS.slice(0, service));
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS.slice(0, platform));
  await database.close();
  return url;
};

const environment = (url: string) => ({ DATABASE_URL: url, PARLEY_DATA: join(temporary.folder, "data") });
const check = async (url: string, args: readonly string[] = []) => {
  const run = await parley(["upgrade", "--check", "--json", ...args], { env: environment(url) });
  expect(run.stderr).toBe("");
  const report = JSON.parse(run.stdout) as UpgradeReport & { readonly safe: boolean };
  return { status: run.status, ...report, of: (name: string) => report.findings.find((each) => each.name === name) };
};
const upgrade = (url: string, args: readonly string[] = []) => parley(["upgrade", ...args], { env: environment(url) });

const newestOf = (list: readonly { readonly id: number }[]) => list.at(-1)?.id ?? 0;
const CURRENT = [newestOf(SERVICE_MIGRATIONS), newestOf(APP_MIGRATIONS)] as const;

/** Runs work while a session has the name that a process of another release gives it. */
const whileRunning = async (url: string, name: string, work: () => Promise<void>) => {
  const other: Database = await openDatabase({
    dataFolder: "",
    url: `${url}&application_name=${encodeURIComponent(name)}`,
  });
  const connection = await other.connect("public");
  await work();
  await connection.close();
  await other.close();
};

test("a command whose PostgreSQL is stopped meanwhile ends with one line that says what to do", async () => {
  const other = await startOwnServer({ dataFolder: join(temporary.folder, "stopped") });
  const url = await other.createDatabase("one");
  const database = await openDatabase({ dataFolder: "", url });
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  const pool = database.pool("public", { max: 1 });
  const sessions = statement(
    "",
    "select 1 from pg_stat_activity where application_name like 'parley%' and query like '%users%' and pid <> pg_backend_pid()",
  );
  const header = JSON.stringify({
    type: "account",
    name: "lumen",
    channels: [{ name: "Inbox" }],
    groups: [{ name: "Sales" }],
  });
  const users = Array.from({ length: 20_000 }, (_, at) =>
    JSON.stringify({ type: "user", id: `u-${at}`, first_name: "Kim", created_time: "2024-05-01T10:00:00Z" }),
  );
  const command = parley(["import", "-", "--dry-run"], {
    env: environment(url),
    input: `${[header, ...users].join("\n")}\n`,
    keepInput: true,
  });
  await waitUntil(async () => (await pool.rows(sessions, [])).length > 0);
  await pool.end();
  await database.close();
  await other.close();
  const { status, stderr } = await command;
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^parley: The database could not be used any more: .*PostgreSQL runs.*then run the command again\.$/m,
  );
  expect(stderr).not.toContain("    at ");
});

test("parley upgrade --check on the schema of this release is safe, and warns of a missing backup", async () => {
  const report = await check(await databaseOf("current", ...CURRENT));
  expect(report).toMatchObject({ status: 0, safe: true, migrations: [], processes: [] });
  expect(report.of("Migrations")).toMatchObject({ level: "ok" });
  expect(report.of("Backup")).toMatchObject({ level: "warn", next: expect.stringContaining("parley backup") });
});

test("parley upgrade --check lists pending migrations with their locks, and changes nothing", async () => {
  const url = await databaseOf("earlier", 22, 9);
  const report = await check(url);
  expect(report.schemas).toEqual([
    { name: SERVICE_SCHEMA, applied: 22, release: CURRENT[0] },
    { name: APP_SCHEMA, applied: 9, release: CURRENT[1] },
  ]);
  expect(report.migrations.map(({ id }) => id)).toEqual([
    ...SERVICE_MIGRATIONS.slice(22).map(({ id }) => id),
    ...APP_MIGRATIONS.slice(9).map(({ id }) => id),
  ]);
  expect(report.migrations[0]?.tables).toContainEqual(
    expect.objectContaining({ table: "users", lock: "ACCESS EXCLUSIVE", change: "rewritten" }),
  );
  expect((await check(url)).schemas).toEqual(report.schemas);
});

test("parley upgrade --check is not safe when a migration blocks a large table", async () => {
  const url = await databaseOf("large", 23, 10);
  const administrator = await openDatabase({ dataFolder: "", url: server.administratorUrl("large") });
  const grow = "update pg_class set reltuples = 5000000 where relname = 'conversations'";
  await administrator.pool("public", { max: 1 }).rows(statement("", grow), []);
  await administrator.close();
  const report = await check(url);
  expect(report).toMatchObject({ status: 1, safe: false });
  expect(report.of("Migrations")).toMatchObject({
    level: "fail",
    message: expect.stringContaining("24 (routing) blocks parley_service.conversations for about 25 s"),
    next: expect.stringContaining("Stop all processes"),
  });
});

test("parley upgrade names processes that can't run on the new schema, and changes nothing while they run", async () => {
  const url = await databaseOf("running", 20, 8);
  await whileRunning(url, "parley 0.0.9/20.8#4711", async () => {
    const report = await check(url);
    expect(report).toMatchObject({ status: 1, processes: [{ version: "0.0.9", service: 20, platform: 8, pid: 4711 }] });
    expect(report.of("Processes")).toMatchObject({ level: "fail", message: expect.stringContaining("process 4711") });
    const refused = await upgrade(url);
    expect(refused).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("Nothing was changed") });
  });
  expect((await check(url)).schemas[0]?.applied).toBe(20);
  const done = await upgrade(url, ["--json"]);
  expect(done.status).toBe(0);
  const { applied } = JSON.parse(done.stdout) as { readonly applied: readonly unknown[] };
  expect(applied).toHaveLength(CURRENT[0] - 20 + CURRENT[1] - 8);
  expect((await upgrade(url)).stdout).toBe("The tables are those of this release already.\n");
});

test("parley upgrade accepts processes that can run on the new schema, and warns of those that do not name themselves", async () => {
  const url = await databaseOf("compatible", 26, 10);
  await whileRunning(url, "parley 0.2.0/26.10#12", async () => {
    expect((await check(url)).of("Processes")).toMatchObject({
      level: "ok",
      message: expect.stringContaining("process 12"),
    });
    expect((await upgrade(url)).status).toBe(0);
  });
  const other = await databaseOf("unnamed", 26, 10);
  await whileRunning(other, "parley jobs", async () => {
    expect((await check(other)).of("Processes")).toMatchObject({ level: "warn" });
  });
});

test("parley upgrade refuses a schema that needs a newer release", async () => {
  const url = await databaseOf("newer", ...CURRENT);
  const database = await openDatabase({ dataFolder: "", url });
  const add = statement("", "insert into migrations (id, name, needs) values (99, 'later', $1)");
  await database.pool(SERVICE_SCHEMA).rows(add, [99]);
  const refused = await parley(["upgrade", "--check"], { env: environment(url) });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("migration 99 (later)") });
  await database.pool(SERVICE_SCHEMA).rows(statement("", "update migrations set needs = 0 where id = 99"), []);
  expect(await check(url)).toMatchObject({ status: 0, safe: true });
  await database.close();
});

test("parley upgrade --check examines the backup: absent, of another schema, complete", async () => {
  const url = await databaseOf("saved", ...CURRENT);
  const folder = join(temporary.folder, "backup");
  const empty = join(temporary.folder, "empty");
  await mkdir(empty);
  expect((await check(url, ["--backup", empty])).of("Backup")).toMatchObject({ level: "fail" });
  expect((await parley(["backup", folder], { env: environment(url) })).status).toBe(0);
  expect((await check(url, ["--backup", folder])).of("Backup")).toMatchObject({ level: "ok" });
  const other = await databaseOf("other", 27, 10);
  const report = await check(other, ["--backup", folder]);
  expect(report.of("Backup")).toMatchObject({ level: "fail", message: expect.stringContaining("another schema") });
  const misplaced = await parley(["upgrade", "--backup", folder], { env: environment(url) });
  expect(misplaced).toMatchObject({ status: 1, stderr: expect.stringContaining("--check") });
});
