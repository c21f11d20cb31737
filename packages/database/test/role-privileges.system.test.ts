import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import pg from "pg";
import { clusterOf, embeddedUrl, openDatabase, statement, type Database } from "../src/index.ts";
import { ignorePreparedCluster } from "../src/testing.ts";
import { earlierClusterFixture, type EarlierClusterFixture } from "./earlier-cluster-fixture.ts";
import { temporaryFolders } from "./temporary-folders.ts";

ignorePreparedCluster();
const folders = temporaryFolders();
afterAll(() => folders.removeAll());

/** Operations that a superuser may perform and the product's role must not, with a folder for their output. */
const ATTEMPTS: readonly (readonly [what: string, sql: (folder: string) => string])[] = [
  ["runs a command", () => "copy (select 1) to program 'cat > /dev/null'"],
  ["reads a command's output", () => "create temp table said (line text); copy said from program 'id'"],
  ["reads a file into a table", () => "create temp table passwd (line text); copy passwd from '/etc/passwd'"],
  ["writes a file", (folder) => `copy (select 1) to '${folder}/copied'`],
  ["reads a file by a function", () => "select pg_read_file('/etc/passwd')"],
  ["reads a file's bytes", () => "select pg_read_binary_file('PG_VERSION')"],
  ["lists a folder", () => "select pg_ls_dir('/')"],
  ["looks at a file", () => "select pg_stat_file('/etc/passwd')"],
  ["reads the rules of access", () => "select * from pg_hba_file_rules"],
  ["writes a large object to a file", (folder) => `select lo_create(4711); select lo_export(4711, '${folder}/object')`],
  ["reads a file as a large object", () => "select lo_import('/etc/passwd')"],
  ["makes an extension that reaches other servers", () => "create extension dblink"],
  ["makes an extension that reads files", () => "create extension file_fdw"],
  ["makes a function of a library", () => "create function evil() returns int language c as 'pgcrypto', 'pg_digest'"],
  ["loads a library", () => "LOAD 'dblink'"],
  ["changes the server's settings", () => "alter system set log_statement = 'all'"],
  ["reads a setting that only superusers may see", () => "show data_directory"],
  ["makes a superuser", () => "create role evil superuser login"],
  ["makes a role", () => "create role other"],
  ["makes itself a superuser", () => "alter role current_user superuser"],
  ["becomes the superuser", () => "set role postgres"],
  ["authenticates itself as the superuser", () => "set session authorization postgres"],
  ["grants itself the right to run programs", () => "grant pg_execute_server_program to current_user"],
  ["makes a database", () => "create database evil"],
  ["turns triggers and keys off", () => "set session_replication_role = replica"],
  [
    "makes an event trigger",
    () =>
      "create function pg_temp.f() returns event_trigger language plpgsql as 'BEGIN END'; create event trigger evil on ddl_command_end execute function pg_temp.f()",
  ],
  ["reads the passwords of roles", () => "select rolpassword from pg_authid"],
  ["writes the catalogue", () => "set allow_system_table_mods = on"],
  ["rotates the log", () => "select pg_rotate_logfile()"],
  ["switches the write-ahead log", () => "select pg_switch_wal()"],
];

/** -> the error's SQLSTATE; undefined if it succeeds */
const attempt = async (config: pg.ClientConfig, sql: string): Promise<string | undefined> => {
  const client = new pg.Client(config);
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(sql);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end();
  }
};

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the role of an embedded server as created at the start", () => {
  let dataFolder: string;
  let database: Database;
  let config: pg.ClientConfig;
  beforeAll(async () => {
    dataFolder = folders.create();
    database = await openDatabase({ dataFolder, settings: { listen_addresses: "127.0.0.1", port: "5432" } });
    config = { connectionString: embeddedUrl(dataFolder) };
  });
  afterAll(() => database.close());

  test.each(ATTEMPTS)("is refused when it %s", async (_, sql) => {
    expect(await attempt(config, sql(folders.create()))).toBe("42501");
  });

  test("is refused when it creates a language whose functions escape the server's restrictions", async () => {
    expect(await attempt(config, "create extension plpython3u")).toBe("42501");
    expect(await attempt(config, "create extension plperlu")).toBe("42501");
  });

  test("has no rights outside its database, which it owns, and is a member of no role", async () => {
    const pool = database.pool("own");
    const me = await pool.one(
      statement(
        "",
        `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
                (select count(*) from pg_auth_members where member = r.oid) as memberships,
                (select datdba = r.oid from pg_database where datname = current_database()) as owns
           from pg_roles r where rolname = current_user`,
      ),
      [],
    );
    expect(me).toEqual({
      rolname: "parley",
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
      owns: true,
    });
    expect(await pool.one(statement("", "select current_schema() as schema"), [])).toEqual({ schema: "own" });
  });

  test("connects by its password only, by socket and TCP, and the superuser can't connect", async () => {
    const cluster = clusterOf(dataFolder);
    const hba = readFileSync(join(cluster, "pg_hba.conf"), "utf8").split("\n");
    const rules = hba.filter((line) => line !== "" && !line.startsWith("#"));
    expect(rules).toEqual(["local all parley scram-sha-256", "host all parley all scram-sha-256"]);
    expect(hba.join("\n")).not.toContain("trust");
    const password = readFileSync(join(cluster, "parley-password"), "utf8").trim();
    expect(password).toMatch(/^[\w-]{43}$/);
    for (const host of [cluster, "127.0.0.1"]) {
      const place = { host, port: 5432, database: "postgres" };
      const enter = (user: string, input?: string) =>
        attempt({ ...place, user, ...(input !== undefined && { password: input }) }, "select 1").catch(
          (error: Error & { code?: string }) => error.code ?? error.message,
        );
      expect(await enter("parley", password)).toBeUndefined();
      expect(await enter("parley")).toMatch(/password must be a (non-empty )?string/);
      expect(await enter("parley", "wrong")).toBe("28P01");
      expect(await enter("postgres", password)).toBe("28000");
    }
  });

  test("has a password and files that other users can't read", () => {
    expect(modeOf(dataFolder)).toMatch(/^7[01]0$/);
    const cluster = clusterOf(dataFolder);
    expect([join(dataFolder, "postgres"), cluster].map(modeOf)).toEqual(["700", "700"]);
    expect(["parley-password", "pg_hba.conf"].map((name) => modeOf(join(cluster, name)))).toEqual(["600", "600"]);
  });
});

describe("data of a release whose role was a superuser without a password", () => {
  let earlier: EarlierClusterFixture | undefined;
  afterAll(() => earlier?.stop());

  const EARLIER_OBJECTS = `
    create schema parley_service;
    set search_path = parley_service;
    create type mood as enum ('good', 'bad');
    create type pair as (one int, other text);
    create domain positive as int check (value > 0);
    create table people (id int generated always as identity primary key, name text not null, mood mood, age positive);
    create table notes (id serial primary key, person int references people, body text);
    create table parts (id int, region int) partition by list (region);
    create table parts_1 partition of parts for values in (1);
    create sequence numbers start 17;
    create statistics name_age on name, age from people;
    create view names as select name from people;
    create materialized view name_count as select count(*) from people;
    create function shout(text) returns text language sql as 'SELECT upper($1)';
    create procedure nothing() language sql as '';
    create function noticed() returns trigger language plpgsql as 'BEGIN NEW.body := shout(NEW.body); RETURN NEW; END';
    create trigger noticed before insert on notes for each row execute function noticed();
    insert into people (name, mood, age) values ('Ana', 'good', 30), ('Ben', 'bad', 40);
    insert into notes (person, body) values (1, 'first');
    create schema "parley_snapshot_Odd ""name""";
    create table "parley_snapshot_Odd ""name"""."the table" as table people;
  `;

  test.each(ATTEMPTS)("there it %s", async (_, sql) => {
    earlier ??= await earlierClusterFixture(folders.create());
    const target = folders.create();
    spawnSync("chmod", ["777", target]);
    expect(await attempt(earlier.config, sql(target))).toBeUndefined();
  });

  const OWNERS = statement(
    "",
    `select distinct owner from (
       select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname like 'parley%'
       union all select pg_get_userbyid(relowner) from pg_class c join pg_namespace n on n.oid = relnamespace where nspname like 'parley%'
       union all select pg_get_userbyid(typowner) from pg_type join pg_namespace n on n.oid = typnamespace where nspname like 'parley%'
       union all select pg_get_userbyid(proowner) from pg_proc join pg_namespace n on n.oid = pronamespace where nspname like 'parley%'
       union all select pg_get_userbyid(stxowner) from pg_statistic_ext
       union all select pg_get_userbyid(datdba) from pg_database where not datistemplate
     ) as owners`,
  );

  const expectMigrated = async (dataFolder: string, log?: (line: string) => void) => {
    const database = await openDatabase({ dataFolder, ...(log && { log }) });
    try {
      const pool = database.pool("parley_service");
      expect(await pool.rows(OWNERS, [])).toEqual([{ owner: "parley" }]);
      expect(await pool.rows(statement("", "select id, name, mood, age from people order by id"), [])).toEqual([
        { id: 1, name: "Ana", mood: "good", age: 30 },
        { id: 2, name: "Ben", mood: "bad", age: 40 },
      ]);
      // The new owner can write, alter and drop everything.
      await pool
        .transaction(async (tx) => {
          const run = (sql: string) => tx.rows(statement("", sql), []);
          await run("insert into notes (person, body) values (2, 'second')");
          expect(await run("select body from notes order by id")).toEqual([{ body: "FIRST" }, { body: "SECOND" }]);
          await run("alter table people add column more mood");
          await run("alter table notes disable trigger user");
          await run("alter sequence numbers restart with 20");
          await run("REFRESH MATERIALIZED VIEW name_count");
          await run("drop function shout");
          await run("create schema parley_more");
          await run('drop schema parley_service, "parley_snapshot_Odd ""name""" cascade');
          throw new Error("undone");
        })
        .catch((error: Error) => expect(error.message).toBe("undone"));
      const other = new pg.Client({ connectionString: embeddedUrl(dataFolder, "side") });
      await other.connect();
      expect((await other.query("select word from kept.words")).rows).toEqual([{ word: "beside" }]);
      await other.query("alter table kept.words add more int");
      await other.query("alter table kept.words drop more");
      await other.end();
    } finally {
      await database.close();
    }
  };

  const fill = async (dataFolder: string): Promise<void> => {
    const server = await earlierClusterFixture(dataFolder);
    expect(await attempt(server.config, EARLIER_OBJECTS)).toBeUndefined();
    expect(await attempt(server.config, "create database side")).toBeUndefined();
    const beside = "create schema kept; create table kept.words as select 'beside' as word";
    expect(await attempt({ ...server.config, database: "side" }, beside)).toBeUndefined();
    await server.stop();
  };

  campaignTest("keeps every row and changes its owner, once", async () => {
    const dataFolder = folders.create();
    await fill(dataFolder);
    const lines: string[] = [];
    await expectMigrated(dataFolder, (line) => lines.push(line));
    expect(lines).toEqual([expect.stringContaining("gets a role with a password")]);
    const password = readFileSync(join(clusterOf(dataFolder), "parley-password"), "utf8");
    lines.length = 0;
    await expectMigrated(dataFolder, (line) => lines.push(line));
    expect(lines).toEqual([]);
    expect(readFileSync(join(clusterOf(dataFolder), "parley-password"), "utf8")).toBe(password);
    for (const [, sql] of ATTEMPTS.slice(0, 3)) {
      const database = await openDatabase({ dataFolder });
      expect(await attempt({ connectionString: embeddedUrl(dataFolder) }, sql(dataFolder))).toBe("42501");
      await database.close();
    }
  });

  campaignTest("is complete also after a crash of the earlier server", async () => {
    const dataFolder = folders.create();
    await fill(dataFolder);
    const server = await earlierClusterFixture(dataFolder);
    await attempt(server.config, "insert into parley_service.parts values (1, 1)");
    await server.kill();
    await expectMigrated(dataFolder);
  });

  campaignTest("is migrated by the next start, wherever the previous one was killed", async () => {
    const dataFolder = folders.create();
    await fill(dataFolder);
    const cluster = clusterOf(dataFolder);
    const opening = new URL("fixtures/data-folder-process.mjs", import.meta.url).pathname;
    // From before the first statement until after the server accepts connections.
    for (const ms of [40, 80, 120, 160, 200, 240, 280, 320, 360, 400, 450, 500, 600]) {
      spawnSync(process.execPath, [opening, dataFolder, "hold"], { timeout: ms, killSignal: "SIGKILL" });
      // The migration is half done, and its completion is not recorded.
      if (ms % 80 === 0) rmSync(join(cluster, "parley-password"), { force: true });
    }
    await expectMigrated(dataFolder);
  });

  campaignTest(
    "whose access rules were opened again is closed at the next start, also without its password file",
    async () => {
      const dataFolder = folders.create();
      await fill(dataFolder);
      await expectMigrated(dataFolder);
      writeFileSync(join(clusterOf(dataFolder), "pg_hba.conf"), "local all all trust\n");
      rmSync(join(clusterOf(dataFolder), "parley-password"));
      await expectMigrated(dataFolder);
      expect(readFileSync(join(clusterOf(dataFolder), "pg_hba.conf"), "utf8")).not.toContain("trust");
    },
  );
});
