import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isConnectionLost, openDatabase, statement, type Database, type Db } from "../src/index.ts";
import { ensureSchema } from "../src/schema.ts";
import { testDatabase, testUrl } from "../src/testing.ts";

const ADD = statement("add", "insert into things values ($1)");
const COUNT = statement("count", "select count(*) as n from things");
const DATABASE_NAME = statement("", "select current_database() as name");
const MAKE = statement("", "create table things (id int primary key)");

describe("a pool", () => {
  let database: Database;
  beforeAll(async () => {
    database = await testDatabase();
    await database.pool("pooled").rows(MAKE, []);
  });
  afterAll(async () => {
    await database.close();
  });

  test.each([
    ["int8 within 2^53 as a number", "9007199254740991::int8", 9007199254740991],
    ["int8 beyond 2^53 as its digits", "9007199254740993::int8", "9007199254740993"],
    ["arrays of int8", "ARRAY[1, NULL, 9007199254740993]::int8[]", [1, null, "9007199254740993"]],
    ["numeric as its digits", "1.50::numeric", "1.50"],
    ["timestamptz as a Date", "'2024-02-29T12:00:00.123Z'::timestamptz", new Date("2024-02-29T12:00:00.123Z")],
    ["jsonb as its value", `'{"a": [1]}'::jsonb`, { a: [1] }],
    ["NULL as null", "NULL::int8", null],
  ])("reads %s", async (_title, expression, expected) => {
    const row = await database.pool("pooled").one(statement("", `select ${expression} as value`), []);
    expect(row).toEqual({ value: expected });
  });

  test("uses its own schema, which is created at the first use", async () => {
    const CURRENT = statement("current", "select current_schema() as name");
    const pools = ["fresh", "fresh", "other"].map((schema) => database.pool(schema, { max: 1 }));
    expect(await Promise.all(pools.map((pool) => pool.one(CURRENT, [])))).toEqual([
      { name: "fresh" },
      { name: "fresh" },
      { name: "other" },
    ]);
    expect(() => database.pool('x"; DROP SCHEMA pooled')).toThrow("not a plain SQL name");
  });

  test("creates a schema once, however many processes request it concurrently", async () => {
    const pool = database.pool("public", { max: 2 });
    const other = database.pool("public", { max: 1 });
    const WAITING = statement(
      "",
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    let hasWaited = false;
    const slowly = <T>(work: (tx: Db) => Promise<T>) =>
      pool.transaction(async (tx) => {
        const result = await work(tx);
        // Until the other transaction waits for this transaction.
        while (!hasWaited && !(await other.one(WAITING, []))) await new Promise((resolve) => setImmediate(resolve));
        hasWaited = true;
        return result;
      });
    await Promise.all([ensureSchema(slowly, "by_two"), ensureSchema(slowly, "by_two")]);
    const FIND = statement("", "select count(*) as n from pg_namespace where nspname = 'by_two'");
    expect(await pool.one(FIND, [])).toEqual({ n: 1 });
  });

  test("commits a transaction when its function resolves, and rolls it back when it throws", async () => {
    const pool = database.pool("pooled", { max: 1 });
    await pool.transaction((tx) => tx.rows(ADD, [1]));
    const work = async (tx: Db) => {
      await tx.rows(ADD, [2]);
      throw new Error("thought better of it");
    };
    await expect(pool.transaction(work)).rejects.toThrow("thought better of it");
    await expect(pool.transaction((tx) => tx.rows(ADD, [1]))).rejects.toMatchObject({ code: "23505" });
    expect(await pool.one(COUNT, [])).toEqual({ n: 1 });
  });

  test("refuses a transaction's Db after the transaction", async () => {
    const escapedTx = await database.pool("pooled").transaction(async (tx) => tx);
    await expect(escapedTx.rows(COUNT, [])).rejects.toThrow("over");
  });

  test("runs concurrently sent statements of one transaction in order", async () => {
    const pool = database.pool("together");
    await pool.rows(MAKE, []);
    const counts = await pool.transaction((tx) =>
      Promise.all([tx.rows(ADD, [1]), tx.one(COUNT, []), tx.rows(ADD, [2]), tx.one(COUNT, [])]),
    );
    expect(counts).toEqual([[], { n: 1 }, [], { n: 2 }]);
  });

  test("ends a statement at its time limit", async () => {
    const pool = database.pool("pooled", { statementTimeoutMs: 50 });
    const slow = pool.rows(statement("", "select pg_sleep(20)"), []);
    await expect(slow).rejects.toMatchObject({ code: "57014" });
  });

  test("prepares a statement again after its table was changed, on every connection", async () => {
    const pool = database.pool("changing", { max: 2 });
    const ALL = statement("everything", "select * from things");
    await pool.rows(MAKE, []);
    await pool.transaction((tx) => Promise.all([tx.rows(ALL, []), pool.rows(ALL, [])]));
    await database.pool("changing").rows(statement("", "alter table things add column more int"), []);
    await expect(pool.transaction((tx) => tx.rows(ALL, []))).rejects.toMatchObject({ code: "0A000" });
    expect(await Promise.all([pool.rows(ALL, []), pool.rows(ALL, [])])).toEqual([[], []]);
  });

  test("a process label ends the name of every session, also of a name from DATABASE_URL that is too long", async () => {
    const NAME = statement("", "select current_setting('application_name') as name");
    const url = testUrl((await database.pool("pooled").one<{ name: string }>(DATABASE_NAME, []))?.name ?? "");
    const nameOf = async (address: string) => {
      const labelled = await openDatabase({ dataFolder: "", url: address, processLabel: "1.2.3/4.5#6" });
      const pool = labelled.pool("pooled", { applicationName: "parley jobs" });
      const name = (await pool.one<{ name: string }>(NAME, []))?.name;
      await labelled.close();
      return name;
    };
    expect(await nameOf(url)).toBe("parley jobs 1.2.3/4.5#6");
    expect(await nameOf(`${url}&application_name=${"n".repeat(80)}`)).toBe(`${"n".repeat(51)} 1.2.3/4.5#6`);
  });

  test("ends once the statements in progress are done, and may be ended twice", async () => {
    const pool = database.pool("pooled");
    const under = pool.rows(statement("", "select pg_sleep(0.05)"), []);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([pool.end(), pool.end()]);
    await under;
    await expect(pool.rows(COUNT, [])).rejects.toThrow();
  });
});

describe("a dedicated connection", () => {
  let database: Database;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  test("receives notifications on its channels only", async () => {
    const connection = await database.connect("own");
    const notifications: string[] = [];
    const first = new Promise<void>((resolve) => {
      void connection.listen("news", (payload) => {
        notifications.push(payload);
        if (payload === "last") resolve();
      });
    });
    await connection.listen("weather", (payload) => notifications.push(payload));
    const pool = database.pool("own");
    const NOTIFY = statement("tell", "select pg_notify($1, $2)");
    for (const [channel, payload] of [
      ["news", "one"],
      ["other", "two"],
      ["weather", "three"],
      ["news", "last"],
    ])
      await pool.rows(NOTIFY, [channel, payload]);
    await first;
    expect(notifications).toEqual(["one", "three", "last"]);
    await connection.close();
  });

  test("reports its loss, also to late listeners, but not its own closing", async () => {
    const connection = await database.connect("own");
    const closed = await database.connect("own");
    const losses: string[] = [];
    closed.onLost(() => losses.push("closed"));
    const lost = new Promise<Error>((resolve) => connection.onLost(resolve));
    const me = await connection.one<{ pid: number }>(statement("", "select pg_backend_pid() as pid"), []);
    await database.pool("own").rows(statement("", "select pg_terminate_backend($1)"), [me?.pid]);
    expect(isConnectionLost(await lost)).toBe(true);
    expect(isConnectionLost(await new Promise<Error>((resolve) => connection.onLost(resolve)))).toBe(true);
    const after: unknown = await connection.rows(statement("", "select 1"), []).catch((error: unknown) => error);
    expect(isConnectionLost(after)).toBe(true);
    await closed.close();
    await connection.close();
    expect(losses).toEqual([]);
  });

  test("sends statements without waiting and returns their results in order", async () => {
    const connection = await database.connect("own");
    const NUMBER = statement("number", "select $1::int as n");
    const wrong = connection.rows(statement("", "select nothing"), []);
    const responses = Promise.all([1, 2, 3].map((n) => connection.one(NUMBER, [n])));
    await expect(wrong).rejects.toThrow("nothing");
    expect(await responses).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await connection.close();
  });
});
