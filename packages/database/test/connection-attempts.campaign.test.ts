import { logText } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { gather, isConnectionLost, openDatabase, statement, type Database } from "../src/index.ts";
import { testDatabase, testRelay, type TestRelay } from "../src/testing.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const ONE = statement("one", "select 1 as one");
const SLEEP = statement("", "select pg_sleep(5)");

let relay: TestRelay;
let lines: string[];
let database: Database;
const own = fileFixture(testDatabase);
beforeEach(async () => {
  relay = await testRelay(own);
  lines = [];
  database = await openDatabase({
    dataFolder: "",
    url: relay.url,
    log: (...line) => void lines.push(logText(...line)),
  });
});
afterEach(async () => {
  await database.close();
  await relay.close();
});

/** -> the error of the work; undefined if it succeeds */
const outcomeOf = async (work: () => Promise<unknown>): Promise<{ error: Error | undefined }> => {
  const error = await work().then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { error };
};

describe("an unreachable server", () => {
  test("is waited for briefly, then requests are refused at once; it is logged once and found again", async () => {
    const pool = database.pool("reached", { max: 2 });
    await pool.rows(ONE, []);
    await relay.cut();
    // A request in progress at that moment fails; the next one finds no server.
    await pool.rows(ONE, []).catch(() => undefined);
    const first = await outcomeOf(() => pool.rows(ONE, []));
    expect(first.error).toMatchObject({ name: "DatabaseUnreachable" });
    expect(isConnectionLost(first.error)).toBe(true);
    const later = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(() => pool.rows(ONE, []))));
    expect(later.every(({ error }) => error?.name === "DatabaseUnreachable")).toBe(true);
    await relay.restore();
    while (
      await pool
        .one(ONE, [])
        .catch(() => undefined)
        .then((row) => row === undefined)
    )
      await setTimeout(10);
    expect(lines).toEqual([
      expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+ can't be reached: connect ECONNREFUSED/),
      expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+ is back after \d+\.\d s$/),
    ]);
  });

  test("for a moment affects only requests in progress", async () => {
    const pool = database.pool("reached", { max: 1 });
    // Opens the connection, so that the next statement is in progress when the server stops instead of waiting for it.
    await pool.rows(ONE, []);
    const under = outcomeOf(() => pool.rows(SLEEP, []));
    await setTimeout(50);
    await relay.cut();
    expect(isConnectionLost((await under).error)).toBe(true);
    const next = outcomeOf(() => pool.rows(ONE, []));
    await setTimeout(200);
    await relay.restore();
    expect((await next).error).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test("is not counted as unreachable for the time in which this process was suspended", async () => {
    const pool = database.pool("reached", { max: 1 });
    await relay.cut();
    const next = outcomeOf(() => pool.rows(ONE, []));
    await setTimeout(50);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_400);
    // A waiting request tries once more, after a second in which the process was suspended.
    await setTimeout(200);
    await relay.restore();
    expect((await next).error).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test("is not queried twice by gathered reads", async () => {
    const pool = database.pool("reached", { max: 1 });
    await pool.rows(ONE, []);
    const ask = gather<number, unknown>({
      name: "items",
      run: (numbers) => Promise.all(numbers.map(() => pool.one(ONE, []))),
    });
    await relay.cut();
    await pool.rows(ONE, []).catch(() => undefined);
    const responses = await Promise.all(Array.from({ length: 100 }, () => outcomeOf(() => ask(1))));
    expect(responses.every(({ error }) => error?.name === "DatabaseUnreachable")).toBe(true);
  });

  test("does not delay closing", async () => {
    const pool = database.pool("reached", { max: 2 });
    await pool.rows(ONE, []);
    await relay.cut();
    const waiting = outcomeOf(() => pool.rows(ONE, []));
    await database.close();
    expect((await waiting).error).toBeDefined();
  });
});

describe("a server that accepts connections and does not respond", () => {
  test("causes a timely refusal, and is found again", async () => {
    const pool = database.pool("reached", { max: 2 });
    await pool.rows(ONE, []);
    relay.silence();
    // The existing connection is in use, so that another connection is opened.
    const hanging = outcomeOf(() => pool.rows(SLEEP, []));
    const opening = await outcomeOf(() => pool.rows(ONE, []));
    expect(opening.error).toMatchObject({
      name: "DatabaseUnreachable",
      message: expect.stringContaining("does not answer"),
    });
    await relay.restore();
    expect(isConnectionLost((await hanging).error)).toBe(true);
    while (
      await pool
        .one(ONE, [])
        .catch(() => undefined)
        .then((row) => row === undefined)
    )
      await setTimeout(10);
  });

  test("is not confused with a suspension of this process for longer than the time limit", async () => {
    const pool = database.pool("reached", { max: 1 });
    const first = outcomeOf(() => pool.rows(ONE, []));
    // The server's response has arrived by then, and has not been read.
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    expect((await first).error).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test("ends a statement at its time limit, with its connection", async () => {
    const pool = database.pool("reached", { max: 1, statementTimeoutMs: 50 });
    await pool.rows(ONE, []);
    relay.silence();
    const silent = await outcomeOf(() => pool.rows(ONE, []));
    expect(silent.error?.message).toBe("Query read timeout");
    expect(isConnectionLost(silent.error)).toBe(true);
  });
});
