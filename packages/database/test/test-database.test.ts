import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { TEST_CLUSTER, testCluster } from "../src/environment/config.ts";
import { findBinaries } from "../src/embedded/binaries.ts";
import { openDatabase, statement, type Database } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";
import { temporaryFolders } from "./temporary-folders.ts";

const folders = temporaryFolders();
afterAll(() => folders.removeAll());

const READ = statement("read", "select word from words");
const WRITE = statement("write", "insert into words values ($1)");

test("each test database starts with the result of the preparation, which runs once", async () => {
  let runs = 0;
  const prepare = {
    key: "words",
    run: async (database: Database) => {
      runs++;
      const pool = database.pool("prepared");
      await pool.rows(statement("", "create table words (word text)"), []);
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

/** System identifier of a cluster. @shape hex */
const numberOf = (cluster: string) =>
  readFileSync(join(cluster, "global", "pg_control"))
    .subarray(0, 8)
    .toString("hex");

test("a server starts with a copy of the cluster that the test run provides, if its release is the same", async () => {
  const offered = testCluster() ?? "";
  const { version } = findBinaries();
  const before = readdirSync(join(offered, version), { recursive: true }).length;
  const own = folders.create();
  const created = async () => {
    const dataFolder = folders.create();
    const database = await openDatabase({ dataFolder });
    const pool = database.pool("words");
    expect(await pool.one(statement("", "select 1 as one"), [])).toEqual({ one: 1 });
    await database.close();
    expect(readdirSync(join(dataFolder, "postgres"))).toEqual(["cluster"]);
    return numberOf(join(dataFolder, "postgres", "cluster"));
  };
  const number = numberOf(join(offered, version));
  expect([await created(), await created()]).toEqual([number, number]);
  expect(readdirSync(join(offered, version), { recursive: true })).toHaveLength(before);
  try {
    process.env[TEST_CLUSTER] = own;
    cpSync(join(offered, version), join(own, "17.0.0"), { recursive: true });
    expect(await created()).not.toBe(number);
    renameSync(join(own, "17.0.0"), join(own, version));
    expect(await created()).toBe(number);
    // An incomplete cluster has no such file.
    process.env[TEST_CLUSTER] = folders.create();
    mkdirSync(join(process.env[TEST_CLUSTER], version));
    expect(await created()).not.toBe(number);
  } finally {
    process.env[TEST_CLUSTER] = offered;
  }
});
