import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase, statement } from "../src/index.ts";
import { startFakePooler, type PoolMode, type FakePooler } from "./fake-pooler.ts";
import { appUrl, postgresFixture, APP_PASSWORD, removeServers, type PostgresFixture } from "./postgres-fixture.ts";

let server: PostgresFixture;
let pooler: FakePooler | undefined;
beforeAll(async () => {
  server = await postgresFixture();
});
afterEach(async () => {
  await pooler?.close();
  pooler = undefined;
});
afterAll(async () => {
  await server.stop();
  removeServers();
});

const through = async (mode: PoolMode, size: number): Promise<string> => {
  const config = { host: "127.0.0.1", port: server.port, user: "app", password: APP_PASSWORD, database: "app" };
  pooler = await startFakePooler(config, mode, size);
  return appUrl(`127.0.0.1:${pooler.port}`);
};

describe("a pooler in transaction mode", () => {
  test.each([1, 2, 5])("with %s sessions is refused with one line that states what to do", async (size) => {
    const url = await through("transaction", size);
    const error = await openDatabase({ dataFolder: "/nowhere", url }).then(
      (database) => database.close(),
      (thrown: Error) => thrown,
    );
    expect(error?.name).toBe("DatabaseUnavailable");
    expect(error?.message).toMatch(/pooler in transaction or statement mode at 127\.0\.0\.1:\d+: .*session mode/);
    expect(error?.message).not.toMatch(/p@ss|p%40ss|\n/);
    const { rows } = await server.sql("select 1 from pg_stat_user_tables");
    expect(rows).toEqual([]);
  });
});

test("through a pooler in session mode that drops connection settings, tables are created in their own schema", async () => {
  const url = await through("session", 10);
  const database = await openDatabase({ dataFolder: "/nowhere", url });
  const pool = database.pool("own_schema", { max: 2, statementTimeoutMs: 1_500, settings: { work_mem: "5MB" } });
  await pool.rows(statement("", "create table marks (id int)"), []);
  const SEEN = statement(
    "",
    `select current_schema() as schema, current_setting('statement_timeout') as timeout, current_setting('work_mem') as memory,
            (select schemaname from pg_tables where tablename = 'marks') as of`,
  );
  expect(await pool.one(SEEN, [])).toEqual({
    schema: "own_schema",
    timeout: "1500ms",
    memory: "5MB",
    of: "own_schema",
  });
  await database.close();
});
