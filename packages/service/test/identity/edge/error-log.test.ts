import { expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { failureText, failureTextWithStack } from "@parley/telemetry";

test("the log entry of a database error contains its origin and no values", async () => {
  const database = await testDatabase();
  const pool = database.pool("faults");
  const faultOf = async (sql: string): Promise<string> => {
    try {
      await pool.rows(statement("", sql), []);
    } catch (error) {
      return [failureTextWithStack(error as Error), failureText(error)].join("\n");
    }
    return "no fault";
  };
  await pool.rows(statement("", "create table people (name text primary key, age integer check (age < 99))"), []);
  await pool.rows(statement("", "insert into people values ('canary')"), []);
  const faults = await Promise.all(
    [
      "insert into people values ('canary')",
      "insert into people values ('canary again', 100)",
      "select 'canary'::uuid",
      "insert into people (age) values (1)",
      "select * from nobody",
    ].map(faultOf),
  );
  await database.close();
  expect(faults.map((fault) => fault.split("\n")[0])).toEqual([
    expect.stringContaining("code 23505, schema faults, table people, constraint people_pkey"),
    expect.stringContaining("constraint people_age_check"),
    expect.stringContaining("database: a value of the wrong kind (code 22P02"),
    expect.stringContaining("column name"),
    expect.stringContaining('database: relation "nobody" does not exist (code 42P01'),
  ]);
  expect(faults.map((fault) => fault.split("\n").at(-1))).toEqual([
    'duplicate key value violates unique constraint "people_pkey" (code 23505)',
    'new row for relation "people" violates check constraint "people_age_check" (code 23514)',
    "a value of the wrong kind (code 22P02)",
    expect.stringContaining('null value in column "name"'),
    'relation "nobody" does not exist (code 42P01)',
  ]);
  expect(faults.join("\n")).not.toContain("canary");
});

test("any other error is logged completely", () => {
  expect(failureTextWithStack(new TypeError("no such thing"))).toMatch(/TypeError: no such thing\n +at /);
  expect(failureText(new TypeError("no such thing\nat all"))).toBe("no such thing");
  expect(failureText("no error")).toBe("no error");
});
