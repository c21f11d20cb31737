import { once } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openDatabase, statement, type Database } from "../src/index.ts";
import { testDatabase, testRelay, type TestRelay } from "../src/testing.ts";

const ONE = statement("", "select 1 as one");
const SLEEP = statement("", "select pg_sleep(5)");
/** Longest time until a silent server is given up, on a busy machine. @units milliseconds */
const NOTICED_WITHIN_MS = 8_000;

let direct: Database;
let relay: TestRelay;
let database: Database;
let lines: string[];

beforeEach(async () => {
  direct = await testDatabase();
  relay = await testRelay(direct);
  lines = [];
  database = await openDatabase({ dataFolder: "", url: relay.url, log: (line) => void lines.push(line) });
});
afterEach(async () => {
  await database.close();
  await relay.close();
  await direct.close();
});

describe("a server that stops to answer while its connections stay open", () => {
  test("loses connections that only listen, and the log says so", async () => {
    const connection = await database.connect("watched");
    await connection.listen("some_channel", () => undefined);
    const ended = new EventTarget();
    connection.onLost(() => ended.dispatchEvent(new Event("lost")));
    relay.silence();
    await once(ended, "lost");
    expect(lines.join()).toMatch(/does not answer: its connections are closed/);
  }, 30_000);

  test("fails a statement without a time limit, and idle connections of the pool, at the same time", async () => {
    const pool = database.pool("watched", { max: 3 });
    await Promise.all([pool.rows(ONE, []), pool.rows(ONE, []), pool.rows(ONE, [])]);
    relay.silence();
    await expect(pool.rows(ONE, [])).rejects.toThrow(/^Connection terminated/);
    while (pool.usage().idle > 0) await setImmediate();
  }, 30_000);
});

test("a server that answers keeps its connections during a long statement", async () => {
  const pool = database.pool("watched", { max: 1 });
  await expect(pool.rows(SLEEP, [])).resolves.toHaveLength(1);
  expect(lines).toEqual([]);
}, 30_000);

test("a server that is slow to answer the question keeps its connections while others receive answers", async () => {
  const pool = database.pool("watched", { max: 1 });
  await pool.rows(ONE, []);
  const release = await relay.hold("select 1");
  // Longer than the time limit of the question.
  for (const end = performance.now() + NOTICED_WITHIN_MS; performance.now() < end;) {
    await pool.rows(ONE, []);
    await setTimeout(100);
  }
  release();
  expect(lines).toEqual([]);
}, 30_000);
