import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { openDatabase, statement, type Database } from "../src/index.ts";
import { ignorePreparedCluster } from "../src/testing.ts";
import { temporaryFolders } from "./temporary-folders.ts";
import { processesIn } from "./data-folder-process.ts";

ignorePreparedCluster();
const folders = temporaryFolders();
afterAll(() => folders.removeAll());

const MAKE = statement("", "create table if not exists marks (id int)");
const MARK = statement("", "insert into marks values (1)");
const COUNT = statement("", "select count(*) as n from marks");

/** Writes a row and returns the number of rows. */
async function mark(database: Database): Promise<number | undefined> {
  const pool = database.pool("marks");
  await pool.rows(MAKE, []);
  await pool.rows(MARK, []);
  return (await pool.one<{ n: number }>(COUNT, []))?.n;
}

describe("the embedded server", () => {
  test.each([
    ["a folder that only its owner may enter", ""],
    ["a folder that is not there yet", "not/yet"],
    ["a path with spaces and quotes", `a b'c"d$e`],
    ["a path longer than any socket's may be", `${"x".repeat(150)}/ü`],
  ])("starts, stops and finds its rows again in %s", async (_title, below) => {
    const dataFolder = join(folders.create(), below);
    for (const expected of [1, 2]) {
      const database = await openDatabase({ dataFolder });
      expect(database.embedded).toBe(true);
      expect(await mark(database)).toBe(expected);
      await database.close();
      await database.close();
    }
    expect(processesIn(dataFolder)).toEqual([]);
    expect(readdirSync(dataFolder)).toEqual(["postgres"]);
  });

  campaignTest("runs twice with two data folders", async () => {
    const pair = await Promise.all([1, 2].map(() => openDatabase({ dataFolder: folders.create() })));
    expect(await Promise.all(pair.map(mark))).toEqual([1, 1]);
    await Promise.all(pair.map((database) => database.close()));
  });

  test("has a cluster in UTF-8 and the C locale, with every setting that durability requires", async () => {
    const database = await openDatabase({ dataFolder: folders.create() });
    const NAMES = ["server_encoding", "TimeZone", "fsync", "full_page_writes", "synchronous_commit", "data_checksums"];
    const SHOW = statement("", "select current_setting(name) as value from unnest($1::text[]) as name");
    const values = await database.pool("public").rows<{ value: string }>(SHOW, [NAMES]);
    expect(values.map(({ value }) => value)).toEqual(["UTF8", "UTC", "on", "on", "on", "on"]);
    await database.close();
  });

  campaignTest("starts after an interrupted initdb", async () => {
    const dataFolder = folders.create();
    mkdirSync(join(dataFolder, "postgres", "cluster.new", "base"), { recursive: true });
    writeFileSync(join(dataFolder, "postgres", "cluster.new", "PG_VERSION"), "18\n");
    const database = await openDatabase({ dataFolder });
    expect(await mark(database)).toBe(1);
    await database.close();
    expect(readdirSync(join(dataFolder, "postgres"))).toEqual(["cluster"]);
  });

  campaignTest("starts despite a postmaster.pid whose process id another program has", async () => {
    const dataFolder = folders.create();
    await (await openDatabase({ dataFolder })).close();
    const cluster = join(dataFolder, "postgres", "cluster");
    writeFileSync(join(cluster, "postmaster.pid"), `${process.pid}\n${cluster}\n1\n5432\n.\n\n0 0\nready\n`);
    writeFileSync(join(cluster, ".s.PGSQL.5432.lock"), `${process.pid}\n${cluster}\n1\n5432\n.\n`);
    const database = await openDatabase({ dataFolder });
    expect(await mark(database)).toBe(1);
    await database.close();
  });

  test("refuses data of another major version with one line", async () => {
    const dataFolder = folders.create();
    await (await openDatabase({ dataFolder })).close();
    writeFileSync(join(dataFolder, "postgres", "cluster", "PG_VERSION"), "17\n");
    await expect(openDatabase({ dataFolder })).rejects.toThrow(
      /written by PostgreSQL 17, this release brings 18[^\n]*$/,
    );
  });

  test("refuses a second opening of the same data folder with one line, and opens it once it is closed", async () => {
    const dataFolder = folders.create();
    const first = await openDatabase({ dataFolder });
    await expect(openDatabase({ dataFolder })).rejects.toThrow(
      new RegExp(`^The data folder .* is in use by process ${process.pid}\\. Stop that one first[^\n]*$`),
    );
    expect(await mark(first)).toBe(1);
    await first.close();
    await (await openDatabase({ dataFolder })).close();
  });
});
