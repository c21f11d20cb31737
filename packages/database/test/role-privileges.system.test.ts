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
  ["runs a command", () => "COPY (SELECT 1) TO PROGRAM 'cat > /dev/null'"],
  ["reads a command's output", () => "CREATE TEMP TABLE said (line text); COPY said FROM PROGRAM 'id'"],
  ["reads a file into a table", () => "CREATE TEMP TABLE passwd (line text); COPY passwd FROM '/etc/passwd'"],
  ["writes a file", (folder) => `COPY (SELECT 1) TO '${folder}/copied'`],
  ["reads a file by a function", () => "SELECT pg_read_file('/etc/passwd')"],
  ["reads a file's bytes", () => "SELECT pg_read_binary_file('PG_VERSION')"],
  ["lists a folder", () => "SELECT pg_ls_dir('/')"],
  ["looks at a file", () => "SELECT pg_stat_file('/etc/passwd')"],
  ["reads the rules of access", () => "SELECT * FROM pg_hba_file_rules"],
  ["writes a large object to a file", (folder) => `SELECT lo_create(4711); SELECT lo_export(4711, '${folder}/object')`],
  ["reads a file as a large object", () => "SELECT lo_import('/etc/passwd')"],
  ["makes an extension that reaches other servers", () => "CREATE EXTENSION dblink"],
  ["makes an extension that reads files", () => "CREATE EXTENSION file_fdw"],
  ["makes a function of a library", () => "CREATE FUNCTION evil() RETURNS int LANGUAGE c AS 'pgcrypto', 'pg_digest'"],
  ["loads a library", () => "LOAD 'dblink'"],
  ["changes the server's settings", () => "ALTER SYSTEM SET log_statement = 'all'"],
  ["reads a setting that only superusers may see", () => "SHOW data_directory"],
  ["makes a superuser", () => "CREATE ROLE evil SUPERUSER LOGIN"],
  ["makes a role", () => "CREATE ROLE other"],
  ["makes itself a superuser", () => "ALTER ROLE CURRENT_USER SUPERUSER"],
  ["becomes the superuser", () => "SET ROLE postgres"],
  ["authenticates itself as the superuser", () => "SET SESSION AUTHORIZATION postgres"],
  ["grants itself the right to run programs", () => "GRANT pg_execute_server_program TO CURRENT_USER"],
  ["makes a database", () => "CREATE DATABASE evil"],
  ["turns triggers and keys off", () => "SET session_replication_role = replica"],
  [
    "makes an event trigger",
    () =>
      "CREATE FUNCTION pg_temp.f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION pg_temp.f()",
  ],
  ["reads the passwords of roles", () => "SELECT rolpassword FROM pg_authid"],
  ["writes the catalogue", () => "SET allow_system_table_mods = on"],
  ["rotates the log", () => "SELECT pg_rotate_logfile()"],
  ["switches the write-ahead log", () => "SELECT pg_switch_wal()"],
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
    expect(await attempt(config, "CREATE EXTENSION plpython3u")).toBe("42501");
    expect(await attempt(config, "CREATE EXTENSION plperlu")).toBe("42501");
  });

  test("has no rights outside its database, which it owns, and is a member of no role", async () => {
    const pool = database.pool("own");
    const me = await pool.one(
      statement(
        "",
        `SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
                (SELECT count(*) FROM pg_auth_members WHERE member = r.oid) AS memberships,
                (SELECT datdba = r.oid FROM pg_database WHERE datname = current_database()) AS owns
           FROM pg_roles r WHERE rolname = current_user`,
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
    expect(await pool.one(statement("", "SELECT current_schema() AS schema"), [])).toEqual({ schema: "own" });
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
        attempt({ ...place, user, ...(input !== undefined && { password: input }) }, "SELECT 1").catch(
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
    CREATE SCHEMA parley_service;
    SET search_path = parley_service;
    CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE TYPE pair AS (one int, other text);
    CREATE DOMAIN positive AS int CHECK (VALUE > 0);
    CREATE TABLE people (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, mood mood, age positive);
    CREATE TABLE notes (id serial PRIMARY KEY, person int REFERENCES people, body text);
    CREATE TABLE parts (id int, region int) PARTITION BY LIST (region);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
    CREATE SEQUENCE numbers START 17;
    CREATE STATISTICS name_age ON name, age FROM people;
    CREATE VIEW names AS SELECT name FROM people;
    CREATE MATERIALIZED VIEW name_count AS SELECT count(*) FROM people;
    CREATE FUNCTION shout(text) RETURNS text LANGUAGE sql AS 'SELECT upper($1)';
    CREATE PROCEDURE nothing() LANGUAGE sql AS '';
    CREATE FUNCTION noticed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.body := shout(NEW.body); RETURN NEW; END';
    CREATE TRIGGER noticed BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION noticed();
    INSERT INTO people (name, mood, age) VALUES ('Ana', 'good', 30), ('Ben', 'bad', 40);
    INSERT INTO notes (person, body) VALUES (1, 'first');
    CREATE SCHEMA "parley_snapshot_Odd ""name""";
    CREATE TABLE "parley_snapshot_Odd ""name"""."the table" AS TABLE people;
  `;

  test.each(ATTEMPTS)("there it %s", async (_, sql) => {
    earlier ??= await earlierClusterFixture(folders.create());
    const target = folders.create();
    spawnSync("chmod", ["777", target]);
    expect(await attempt(earlier.config, sql(target))).toBeUndefined();
  });

  const OWNERS = statement(
    "",
    `SELECT DISTINCT owner FROM (
       SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname LIKE 'parley%'
       UNION ALL SELECT pg_get_userbyid(relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname LIKE 'parley%'
       UNION ALL SELECT pg_get_userbyid(typowner) FROM pg_type JOIN pg_namespace n ON n.oid = typnamespace WHERE nspname LIKE 'parley%'
       UNION ALL SELECT pg_get_userbyid(proowner) FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname LIKE 'parley%'
       UNION ALL SELECT pg_get_userbyid(stxowner) FROM pg_statistic_ext
       UNION ALL SELECT pg_get_userbyid(datdba) FROM pg_database WHERE NOT datistemplate
     ) AS owners`,
  );

  const expectMigrated = async (dataFolder: string, log?: (line: string) => void) => {
    const database = await openDatabase({ dataFolder, ...(log && { log }) });
    try {
      const pool = database.pool("parley_service");
      expect(await pool.rows(OWNERS, [])).toEqual([{ owner: "parley" }]);
      expect(await pool.rows(statement("", "SELECT id, name, mood, age FROM people ORDER BY id"), [])).toEqual([
        { id: 1, name: "Ana", mood: "good", age: 30 },
        { id: 2, name: "Ben", mood: "bad", age: 40 },
      ]);
      // The new owner can write, alter and drop everything.
      await pool
        .transaction(async (tx) => {
          const run = (sql: string) => tx.rows(statement("", sql), []);
          await run("INSERT INTO notes (person, body) VALUES (2, 'second')");
          expect(await run("SELECT body FROM notes ORDER BY id")).toEqual([{ body: "FIRST" }, { body: "SECOND" }]);
          await run("ALTER TABLE people ADD COLUMN more mood");
          await run("ALTER TABLE notes DISABLE TRIGGER USER");
          await run("ALTER SEQUENCE numbers RESTART WITH 20");
          await run("REFRESH MATERIALIZED VIEW name_count");
          await run("DROP FUNCTION shout");
          await run("CREATE SCHEMA parley_more");
          await run('DROP SCHEMA parley_service, "parley_snapshot_Odd ""name""" CASCADE');
          throw new Error("undone");
        })
        .catch((error: Error) => expect(error.message).toBe("undone"));
      const other = new pg.Client({ connectionString: embeddedUrl(dataFolder, "side") });
      await other.connect();
      expect((await other.query("SELECT word FROM kept.words")).rows).toEqual([{ word: "beside" }]);
      await other.query("ALTER TABLE kept.words ADD more int");
      await other.query("ALTER TABLE kept.words DROP more");
      await other.end();
    } finally {
      await database.close();
    }
  };

  const fill = async (dataFolder: string): Promise<void> => {
    const server = await earlierClusterFixture(dataFolder);
    expect(await attempt(server.config, EARLIER_OBJECTS)).toBeUndefined();
    expect(await attempt(server.config, "CREATE DATABASE side")).toBeUndefined();
    const beside = "CREATE SCHEMA kept; CREATE TABLE kept.words AS SELECT 'beside' AS word";
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
    await attempt(server.config, "INSERT INTO parley_service.parts VALUES (1, 1)");
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
