import { expect, test } from "@jest/globals";
import { statement, type Database } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";

const READ = statement("read", "SELECT word FROM words");
const WRITE = statement("write", "INSERT INTO words VALUES ($1)");

test("each test database starts from what the preparation left, made once for all", async () => {
  let runs = 0;
  const prepare = {
    key: "words",
    run: async (database: Database) => {
      runs++;
      const pool = database.pool("prepared");
      await pool.rows(statement("", "CREATE TABLE words (word text)"), []);
      await pool.rows(WRITE, ["first"]);
    },
  };
  const databases = await Promise.all(Array.from({ length: 4 }, () => testDatabase(prepare)));
  expect(runs).toBe(1);
  for (const [index, database] of databases.entries()) {
    const pool = database.pool("prepared");
    await pool.rows(WRITE, [`of ${index}`]);
    expect(await pool.rows(READ, [])).toEqual([{ word: "first" }, { word: `of ${index}` }]);
  }
  await Promise.all(databases.map((database) => database.close()));
});
