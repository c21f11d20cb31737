import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, SchemaMismatch, statement, type Database } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";

const FIRST = { id: 1, name: "first", sql: "CREATE TABLE things (id int); INSERT INTO things VALUES (1)" };
const SECOND = { id: 2, name: "second", sql: "INSERT INTO things VALUES (2)" };
const COUNT = statement("count", "SELECT count(*) AS n FROM things");
const APPLIED = statement("applied", "SELECT id, name FROM migrations ORDER BY id");

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

  test("leaves nothing of a failed migration, and keeps the earlier ones", async () => {
    const broken = { id: 2, name: "broken", sql: "INSERT INTO things VALUES (3); SELECT nothing" };
    await expect(migrate(database, "broken", [FIRST, broken])).rejects.toThrow("nothing");
    expect(await countIn("broken")).toBe(1);
    await migrate(database, "broken", [FIRST, SECOND]);
    expect(await countIn("broken")).toBe(2);
  });

  test("refuses a schema of a newer release without changing it", async () => {
    await migrate(database, "newer", [FIRST, SECOND]);
    await expect(migrate(database, "newer", [FIRST])).rejects.toThrow(SchemaMismatch);
    await expect(migrate(database, "newer", [FIRST, { ...SECOND, name: "other" }])).rejects.toThrow(SchemaMismatch);
    expect(await countIn("newer")).toBe(2);
  });

  test("refuses a list out of order before anything runs", async () => {
    await expect(migrate(database, "unordered", [SECOND, FIRST])).rejects.toThrow("does not follow");
  });
});
