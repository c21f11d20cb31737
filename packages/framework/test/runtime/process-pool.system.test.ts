import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { heldAnswers, poolFixture, type PoolFixture, type PoolFixtureOptions } from "../support/pool-fixture.ts";
import { killAll, survivors } from "../support/process-tree.ts";

const opened: PoolFixture[] = [];
const open = async (options: PoolFixtureOptions = {}): Promise<PoolFixture> => {
  const fixture = await poolFixture(options);
  opened.push(fixture);
  return fixture;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ pool }) => pool.close()));
});

/** Counts the calls of its process. */
const COUNTING = `let count = 0; exports.h = () => renderData(null, (count += 1));`;
/** Asks the host and waits for the answer, unless its arguments say that it returns at once. */
const ASKING = `exports.h = ({ isQuick }) => (isQuick ? undefined : $db.get("k"));`;
const QUICK = { isQuick: true };

describe("the process of an installation", () => {
  test("starts with its first call and serves later calls", async () => {
    const { app, pool, launched } = await open();
    const one = app(COUNTING);
    expect(pool.counts()).toEqual({ processes: 0, idle: 0, waiting: 0 });
    expect(await one.rendered("a")).toBe(1);
    expect(await one.rendered("a")).toBe(2);
    expect(await one.rendered("b")).toBe(1);
    expect(launched).toHaveLength(2);
  });

  test("ends after the idle time, and the next call starts another process", async () => {
    const { app, pool, launched } = await open({ settings: { idleProcessMs: 200 } });
    const one = app(COUNTING);
    await one.rendered("a");
    expect(pool.counts().processes).toBe(1);
    await waitUntil(() => pool.counts().processes === 0);
    expect(await survivors(launched, 2_000)).toEqual([]);
    expect(await one.rendered("a")).toBe(1);
  });

  test("is kept while a call runs longer than the idle time", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { idleProcessMs: 100 } });
    const one = app(ASKING, { answer: held.answer });
    const call = one.call("a");
    await waitUntil(() => held.asked.length === 1);
    // A process that became idle later has ended.
    await one.call("b", QUICK);
    await waitUntil(() => pool.counts().processes === 1);
    held.release();
    expect(await call).toEqual({ ok: true });
  });

  test("is kept while a question is pending, although its call has ended", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { idleProcessMs: 100 } });
    const code = `let count = 0; exports.h = ({ isQuick }) => { if (!isQuick) $db.get("k"); renderData(null, (count += 1)); };`;
    const one = app(code, { answer: held.answer });
    expect(await one.rendered("a")).toBe(1);
    // A process that became idle later has ended.
    await one.rendered("b", QUICK);
    await waitUntil(() => pool.counts().processes === 1);
    expect(pool.counts()).toMatchObject({ processes: 1, idle: 0 });
    expect(await one.rendered("a", QUICK)).toBe(2);
    held.release();
    await waitUntil(() => pool.counts().processes === 0);
  });

  test("is replaced after a new version, whose calls run while the earlier calls end", async () => {
    const held = heldAnswers();
    const { app } = await open();
    const one = app(`exports.h = async () => { await $db.get("k"); renderData(null, "old"); };`, {
      answer: held.answer,
    });
    const old = one.rendered("a");
    await waitUntil(() => held.asked.length === 1);
    one.update(`exports.h = () => renderData(null, "new");`);
    expect(await one.rendered("a")).toBe("new");
    held.release();
    expect(await old).toBe("old");
  });

  test("ends at once when the app is uninstalled, also while its calls wait for a process", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { maxProcesses: 1 } });
    const one = app(ASKING, { answer: held.answer });
    const running = one.call("a");
    await waitUntil(() => held.asked.length === 1);
    const waiting = one.call("b");
    await waitUntil(() => pool.counts().waiting === 1);
    await one.runner.end("b");
    expect(await waiting).toMatchObject({ ok: false, error: expect.stringContaining("the app is uninstalled") });
    await one.runner.end("a");
    expect(await running).toMatchObject({ ok: false, error: expect.stringContaining("the app is uninstalled") });
  });
});

describe("at the maximum of processes", () => {
  test("the least recently used idle one is ended for a new installation", async () => {
    const { app, pool } = await open({ settings: { maxProcesses: 2 } });
    const one = app(COUNTING);
    await one.rendered("a");
    await one.rendered("b");
    await one.rendered("a");
    expect(await one.rendered("c")).toBe(1);
    expect(pool.counts().processes).toBe(2);
    // The process of `a` was used after that of `b`.
    expect(await one.rendered("a")).toBe(3);
    expect(await one.rendered("b")).toBe(1);
  });

  test("a new installation waits while all are busy, and a start in advance is left out", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { maxProcesses: 1 } });
    const one = app(ASKING, { answer: held.answer });
    const order: string[] = [];
    const call = async (installation: string, args = {}) => {
      const outcome = await one.call(installation, args);
      order.push(installation);
      return outcome;
    };
    const first = call("a");
    await waitUntil(() => held.asked.length === 1);
    one.runner.warm("warm", () => Promise.resolve({ value: {} }));
    const others = [call("b", QUICK), call("c", QUICK), call("b", QUICK)];
    await waitUntil(() => pool.counts().waiting === 2);
    held.release();
    expect(await Promise.all([first, ...others])).toEqual(Array.from({ length: 4 }, () => ({ ok: true })));
    expect(order).toEqual(["a", "b", "b", "c"]);
    expect(pool.counts()).toMatchObject({ processes: 1, waiting: 0 });
  });

  test("an installation with work without a pause gives way to one that waits, and loses no call", async () => {
    const { app } = await open({ settings: { maxProcesses: 1 } });
    const one = app(`exports.h = () => new Promise((go) => setTimeout(go, 50));`);
    let isOver = false;
    const outcomes: unknown[] = [];
    const busy = async () => {
      while (!isOver) outcomes.push(await one.call("a"));
    };
    const workers = Array.from({ length: 4 }, busy);
    await waitUntil(() => outcomes.length > 0);
    expect(await one.call("b", {}, { ms: 30_000 })).toEqual({ ok: true });
    isOver = true;
    await Promise.all(workers);
    expect(outcomes.filter((outcome) => !(outcome as { ok: boolean }).ok)).toEqual([]);
  });

  test("a call that waits longer than its time limit fails with the reason, and later calls succeed", async () => {
    const held = heldAnswers();
    const { app } = await open({ settings: { maxProcesses: 1 } });
    const one = app(ASKING, { answer: held.answer });
    const first = one.call("a");
    await waitUntil(() => held.asked.length === 1);
    expect(await one.call("b", QUICK, { ms: 100 })).toEqual({
      ok: false,
      error:
        "no process became free within 0.1 s: all processes of the platform are busy. Raise PARLEY_APP_PROCESSES, or run another process of the platform",
    });
    held.release();
    expect(await first).toEqual({ ok: true });
    expect(await one.call("b", QUICK)).toEqual({ ok: true });
  });

  test("set-up handlers, which run in separate processes, wait as well", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { maxProcesses: 1 } });
    const one = app(ASKING, { answer: held.answer });
    const first = one.call("a");
    await waitUntil(() => held.asked.length === 1);
    const apart = one.runner.invokeApart("b", { handler: "h", args: QUICK, renders: false }, () =>
      Promise.resolve({ value: {} }),
    );
    await waitUntil(() => pool.counts().waiting === 1);
    held.release();
    expect(await Promise.all([first, apart])).toEqual([{ ok: true }, { ok: true }]);
    await waitUntil(() => pool.counts().processes === 0);
  });
});

describe("starts at the same time", () => {
  /** Two starts that don't end: as many as may be under way. */
  const stuckStarts = async (options: PoolFixtureOptions) => {
    const fixture = await open({ ...options, settings: { maxConcurrentStarts: 2, loadTimeoutMs: 60_000 } });
    const looping = fixture.app(`for (;;);`);
    const stuck = ["x", "y"].map((installation) => looping.call(installation));
    await waitUntil(() => fixture.launched.length === 2);
    return { ...fixture, looping, stuck };
  };

  test("are bounded: a further one begins when one of them is over", async () => {
    const { app, launched, looping, pool, stuck } = await stuckStarts({ startDurationMaxMs: 60_000 });
    const other = app(COUNTING).rendered("a");
    await waitUntil(() => pool.counts().waiting === 1);
    // The pool has looked for a place.
    await setImmediate();
    await setImmediate();
    expect(launched).toHaveLength(2);
    await looping.runner.end("x");
    expect(await stuck[0]).toMatchObject({ ok: false });
    expect(await other).toBe(1);
    expect(launched).toHaveLength(3);
  });

  test("are not blocked by code that never finishes loading", async () => {
    const { app, stuck } = await stuckStarts({ startDurationMaxMs: 100 });
    expect(await Promise.race([app(COUNTING).rendered("a"), ...stuck])).toBe(1);
  });
});

test("a call of the old version that waits for a process runs the newest code", async () => {
  const held = heldAnswers();
  const { app, pool } = await open({ settings: { maxProcesses: 1 } });
  const first = app(ASKING, { answer: held.answer }).call("a");
  await waitUntil(() => held.asked.length === 1);
  const one = app(`exports.h = () => renderData(null, "old");`);
  const waiting = one.rendered("b");
  await waitUntil(() => pool.counts().waiting === 1);
  one.update(`exports.h = () => renderData(null, "new");`);
  held.release();
  expect(await waiting).toBe("new");
  expect(await first).toEqual({ ok: true });
});

describe("the reserve", () => {
  test("has processes ready after the first start, which the next installation uses", async () => {
    const { app, pool, launched } = await open({ reserveSize: 2 });
    const one = app(COUNTING);
    await one.rendered("a");
    await waitUntil(() => launched.length === 3);
    const reserved = launched.slice(1);
    expect(await one.rendered("b")).toBe(1);
    expect(await one.rendered("c")).toBe(1);
    // The reserve is filled again later.
    await waitUntil(() => launched.length === 5);
    expect(await one.rendered("c")).toBe(2);
    // Both ran in the processes that existed before: without these, they begin to count anew.
    killAll(reserved);
    await waitUntil(() => pool.counts().processes === 1);
    expect(await one.rendered("b")).toBe(1);
    expect(await one.rendered("c")).toBe(1);
  });

  test("does not hand out a process that has ended", async () => {
    const { app, launched, ended } = await open({ reserveSize: 1 });
    const one = app(COUNTING);
    await one.rendered("a");
    await waitUntil(() => launched.length === 2);
    const [, reserved = 0] = launched;
    killAll([reserved]);
    await waitUntil(() => ended.has(reserved));
    expect(await one.rendered("b")).toBe(1);
  });

  test("ends with the pool, which can be used again", async () => {
    const { app, pool, launched } = await open({ reserveSize: 2 });
    const one = app(COUNTING);
    await one.rendered("a");
    await waitUntil(() => launched.length === 3);
    await pool.close();
    expect(await survivors(launched, 2_000)).toEqual([]);
    expect(await one.rendered("a")).toBe(1);
  });
});

test("a process that ends by itself fails its calls, and the next call gets another process", async () => {
  const { app, launched } = await open();
  const held = heldAnswers();
  const one = app(ASKING, { answer: held.answer });
  const call = one.call("a");
  await waitUntil(() => held.asked.length === 1);
  killAll(launched);
  expect(await call).toMatchObject({ ok: false, error: expect.stringContaining("process was ended") });
  const next = one.call("a");
  await waitUntil(() => held.asked.length === 2);
  held.release();
  expect(await next).toEqual({ ok: true });
});
