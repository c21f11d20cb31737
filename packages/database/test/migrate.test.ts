import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, SchemaMismatch, statement, type Database } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";

const FIRST = { id: 1, name: "first", sql: "create table things (id int); insert into things values (1)" };
const SECOND = { id: 2, name: "second", sql: "insert into things values (2)" };
const COUNT = statement("count", "select count(*) as n from things");
const APPLIED = statement("applied", "select id, name from migrations order by id");

describe("migrate", () => {
  let database: Database;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  const countIn = async (schema: string) => (await database.pool(schema).one<{ n: number }>(COUNT, []))?.n;

  test("runs each migration once, however often it is called", async () => {
    await migrate(database, "once", [FIRST]);
    await migrate(database, "once", [FIRST, SECOND]);
    await migrate(database, "once", [FIRST, SECOND]);
    expect(await countIn("once")).toBe(2);
    expect(await database.pool("once").rows(APPLIED, [])).toEqual([
      { id: 1, name: "first" },
      { id: 2, name: "second" },
    ]);
  });

  test("runs each migration once if called concurrently", async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrate(database, "race", [FIRST, SECOND])));
    expect(await countIn("race")).toBe(2);
  });

  test("migrates the schemas of one database separately", async () => {
    await Promise.all([migrate(database, "one", [FIRST]), migrate(database, "two", [FIRST, SECOND])]);
    expect([await countIn("one"), await countIn("two")]).toEqual([1, 2]);
  });

  test("leaves nothing of a failed migration, and keeps the earlier migrations", async () => {
    const broken = { id: 2, name: "broken", sql: "insert into things values (3); select nothing" };
    await expect(migrate(database, "broken", [FIRST, broken])).rejects.toThrow("nothing");
    expect(await countIn("broken")).toBe(1);
    await migrate(database, "broken", [FIRST, SECOND]);
    expect(await countIn("broken")).toBe(2);
  });

  test("refuses a schema that needs a newer release without changing it", async () => {
    await migrate(database, "newer", [FIRST, { ...SECOND, needs: 2 }]);
    await expect(migrate(database, "newer", [FIRST])).rejects.toThrow(SchemaMismatch);
    await expect(migrate(database, "newer", [FIRST, { ...SECOND, name: "other" }])).rejects.toThrow(SchemaMismatch);
    expect(await countIn("newer")).toBe(2);
  });

  test("refuses a list out of order before anything runs", async () => {
    await expect(migrate(database, "unordered", [SECOND, FIRST])).rejects.toThrow("does not follow");
  });
});

describe("migrate while another release uses the schema", () => {
  let database: Database;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.close();
  });
  const THIRD = { id: 3, name: "third", sql: "alter table things add column label text" };

  test("a release accepts migrations of a newer release that only add", async () => {
    await migrate(database, "expanded", [FIRST, SECOND, THIRD]);
    await migrate(database, "expanded", [FIRST, SECOND]);
    await migrate(database, "expanded", [FIRST]);
    expect(await database.pool("expanded").rows(APPLIED, [])).toHaveLength(3);
  });

  test("a release refuses a contract that needs a newer release, and accepts one that it satisfies", async () => {
    const contract = { id: 4, name: "contract", sql: "alter table things drop column label", needs: 3 };
    await migrate(database, "contracted", [FIRST, SECOND, THIRD, contract]);
    await migrate(database, "contracted", [FIRST, SECOND, THIRD]);
    await expect(migrate(database, "contracted", [FIRST, SECOND])).rejects.toThrow(
      'The schema "contracted" has migration 4 (contract), which this release does not know.',
    );
  });

  test("a release refuses an unknown migration that says nothing about earlier releases", async () => {
    await migrate(database, "undeclared", [FIRST]);
    const add = statement("", "insert into migrations (id, name) values (2, 'undeclared')");
    await database.pool("undeclared").rows(add, []);
    await expect(migrate(database, "undeclared", [FIRST])).rejects.toThrow(SchemaMismatch);
  });

  test("a schema of a release before the column `needs` is migrated", async () => {
    await migrate(database, "before", [FIRST]);
    await database.pool("before").rows(statement("", "alter table migrations drop column needs"), []);
    await migrate(database, "before", [FIRST, SECOND]);
    expect(
      await database.pool("before").rows(statement("", "select id, needs from migrations order by id"), []),
    ).toEqual([
      { id: 1, needs: null },
      { id: 2, needs: 0 },
    ]);
  });

  test("a migration that waits for a table lets the statements behind it proceed, and is applied when the table is free", async () => {
    await migrate(database, "busy", [FIRST]);
    const holder = await database.connect("busy");
    await holder.script("BEGIN; SELECT * FROM things");
    let isApplied = false;
    const applied = migrate(database, "busy", [FIRST, { ...THIRD, id: 2 }]).then(() => void (isApplied = true));
    const pool = database.pool("busy");
    // Until the migration waits for the table.
    const waiting = statement("", "select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'");
    while (!(await pool.one(waiting, []))) {
      await pause(10);
    }
    await pool.rows(statement("", "insert into things values (7)"), []);
    expect(isApplied).toBe(false);
    await holder.script("commit");
    await applied;
    await holder.close();
    expect((await pool.rows(APPLIED, [])).length).toBe(2);
  });

  test("an index of a migration is built while a row is being written, also after an interrupted build", async () => {
    await migrate(database, "indexed", [FIRST]);
    const writer = await database.connect("indexed");
    const pool = database.pool("indexed");
    await pool.rows(statement("", "insert into things values (5), (5)"), []);
    // A failed build leaves an invalid index of the name.
    await expect(
      pool.rows(statement("", "create unique index concurrently things_id on things (id)"), []),
    ).rejects.toThrow("could not create unique index");
    await writer.script("BEGIN; INSERT INTO things VALUES (6)");
    const indexes = [{ name: "things_id", on: "things (id)" }];
    const list = [FIRST, { id: 2, name: "index", sql: "", indexes }];
    // The second start waits for the first start, which would not end if the wait held a snapshot.
    const both = [migrate(database, "indexed", list), migrate(await second(), "indexed", [...list])];
    // Until the build, or the removal of the invalid index before it, waits for the writer.
    const building = statement(
      "",
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ '^(create|drop) index concurrently'",
    );
    while (!(await pool.one(building, []))) {
      await pause(10);
    }
    await pool.rows(statement("", "insert into things values (8)"), []);
    await writer.script("commit");
    await Promise.all(both);
    await writer.close();
    const state = statement("", "select indisvalid from pg_index where indexrelid = to_regclass('things_id')");
    expect(await pool.rows(state, [])).toEqual([{ indisvalid: true }]);
  });

  /** The same database, as another process opens it: `migrate` remembers what it has migrated for each. */
  const second = () => Promise.resolve(Object.create(database) as Database);
});
