import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createSemaphore, statement, UNBOUNDED_WAIT, type Database } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";

const SLEEP = statement("", "select pg_sleep($1)");
const ONE = statement("one", "select 1 as one");

describe("a caller while all connections of a pool are in use", () => {
  let database: Database;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  test("waits in order", async () => {
    const pool = database.pool("turns", { max: 1 });
    const ends: number[] = [];
    await Promise.all([0, 1, 2, 3].map((turn) => pool.rows(ONE, []).then(() => ends.push(turn))));
    expect(ends).toEqual([0, 1, 2, 3]);
  });

  test("is refused at once if too many wait already", async () => {
    const pool = database.pool("turns", { max: 1, maxWaiting: 2 });
    const responses = await Promise.allSettled([
      pool.rows(SLEEP, [0.1]),
      ...Array.from({ length: 4 }, () => pool.rows(ONE, [])),
    ]);
    const names = responses.map((response) =>
      response.status === "rejected" ? (response.reason as Error).name : "answered",
    );
    expect(names).toEqual(["answered", "answered", "answered", "QueueFull", "QueueFull"]);
  });

  test("waits no longer than its time limit, and others keep their order", async () => {
    const pool = database.pool("turns", { max: 1, acquireTimeoutMs: 60 });
    await pool.rows(ONE, []);
    let release = () => {};
    const slow = pool.transaction(() => new Promise<void>((resolve) => (release = resolve)));
    await expect(pool.rows(ONE, [])).rejects.toMatchObject({ name: "QueueFull" });
    release();
    await slow;
    expect(await pool.one(ONE, [])).toEqual({ one: 1 });
  });
});

test("an unbounded semaphore runs the permitted number of calls at a time, and refuses no call", async () => {
  const semaphore = createSemaphore({ max: 2, ...UNBOUNDED_WAIT });
  let [running, most] = [0, 0];
  const ends: number[] = [];
  const call = (turn: number) =>
    semaphore.run(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      ends.push(turn);
      if (turn === 1) throw new Error("failed");
    });
  // More than the default number of waiting callers.
  const turns = Array.from({ length: 1_500 }, (_, turn) => turn);
  const results = await Promise.allSettled(turns.map(call));
  expect(results.flatMap(({ status }, turn) => (status === "rejected" ? [turn] : []))).toEqual([1]);
  expect([most, ends]).toEqual([2, turns]);
});
