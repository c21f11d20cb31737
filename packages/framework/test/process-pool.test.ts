import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { heldAnswers, poolFixture, type PoolFixture, type PoolFixtureOptions } from "./pool-fixture.ts";
import { killAll, survivors } from "./process-tree.ts";

const opened: PoolFixture[] = [];
const open = async (options: PoolFixtureOptions = {}): Promise<PoolFixture> => {
  const fixture = await poolFixture(options);
  opened.push(fixture);
  return fixture;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ pool }) => pool.close()));
});

/** Waits for a condition of the pool. */
const until = async (condition: () => boolean, ms = 5_000): Promise<void> => {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > ms) throw new Error("The pool does not get into the expected state.");
    await setTimeout(10);
  }
};

/** Counts the calls of its process. */
const COUNTING = `let count = 0; exports.h = () => renderData(null, (count += 1));`;
/** Runs for the given time. */
const WAITING = `exports.h = ({ ms }) => new Promise((go) => setTimeout(go, ms));`;
const ASKING = `exports.h = () => $db.get("k");`;

describe("the process of an installation", () => {
  test("starts with its first call and serves later ones", async () => {
    const { app, pool, launched } = await open();
    const one = app(COUNTING);
    expect(pool.counts()).toEqual({ processes: 0, idle: 0, waiting: 0 });
    expect(await one.rendered("a")).toBe(1);
    expect(await one.rendered("a")).toBe(2);
    expect(await one.rendered("b")).toBe(1);
    expect(launched).toHaveLength(2);
  });

  test("ends after the idle time, and the next call starts another one", async () => {
    const { app, pool, launched } = await open({ settings: { idleProcessMs: 200 } });
    const one = app(COUNTING);
    await one.rendered("a");
    expect(pool.counts().processes).toBe(1);
    await until(() => pool.counts().processes === 0);
    expect(await survivors(launched, 2_000)).toEqual([]);
    expect(await one.rendered("a")).toBe(1);
  });

  test("is kept while a call runs longer than the idle time", async () => {
    const { app } = await open({ settings: { idleProcessMs: 100 } });
    expect(await app(WAITING).call("a", { ms: 600 })).toEqual({ ok: true });
  });

  test("is kept while a question is pending, although its call has ended", async () => {
    const held = heldAnswers();
    const { app, pool } = await open({ settings: { idleProcessMs: 100 } });
    const one = app(`exports.h = () => { $db.get("k"); renderData(null, "early"); };`, { answer: held.answer });
    expect(await one.rendered("a")).toBe("early");
    await setTimeout(400);
    expect(pool.counts()).toMatchObject({ processes: 1, idle: 0 });
    held.release();
    await until(() => pool.counts().processes === 0);
  });

  test("is replaced after a new version, whose calls run while the earlier ones end", async () => {
    const { app } = await open();
    const one = app(
      `exports.h = async () => { await new Promise((go) => setTimeout(go, 200)); renderData(null, "old"); };`,
    );
    await one.rendered("a");
    const old = one.rendered("a");
    one.update(`exports.h = () => renderData(null, "new");`);
    expect(await Promise.all([old, one.rendered("a")])).toEqual(["old", "new"]);
  });

  test("ends at once when the app is uninstalled, also while its calls wait for a process", async () => {
    const { app } = await open({ settings: { maxProcesses: 1 } });
    const one = app(WAITING);
    const running = one.call("a", { ms: 10_000 });
    await setTimeout(300);
    const waiting = one.call("b", { ms: 1 });
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
    const { app, pool } = await open({ settings: { maxProcesses: 1 } });
    const one = app(WAITING);
    const order: string[] = [];
    const call = async (installation: string, ms: number) => {
      const outcome = await one.call(installation, { ms });
      order.push(installation);
      return outcome;
    };
    const first = call("a", 400);
    await setTimeout(200);
    one.runner.warm("warm", () => Promise.resolve({ value: {} }));
    const others = [call("b", 1), call("c", 1), call("b", 1)];
    await until(() => pool.counts().waiting === 2);
    expect(await Promise.all([first, ...others])).toEqual(Array.from({ length: 4 }, () => ({ ok: true })));
    expect(order).toEqual(["a", "b", "b", "c"]);
    expect(pool.counts()).toMatchObject({ processes: 1, waiting: 0 });
  });

  test("an installation with work without a pause gives way to one that waits, and loses no call", async () => {
    const { app } = await open({ settings: { maxProcesses: 1 } });
    const one = app(WAITING);
    let isOver = false;
    const outcomes: unknown[] = [];
    const busy = async () => {
      while (!isOver) outcomes.push(await one.call("a", { ms: 50 }));
    };
    const workers = Array.from({ length: 4 }, busy);
    await setTimeout(300);
    expect(await one.call("b", { ms: 1 }, { ms: 8_000 })).toEqual({ ok: true });
    isOver = true;
    await Promise.all(workers);
    expect(outcomes.filter((outcome) => !(outcome as { ok: boolean }).ok)).toEqual([]);
  });

  test("a call that waits longer than its time limit fails with the reason, and later ones succeed", async () => {
    const { app } = await open({ settings: { maxProcesses: 1 } });
    const one = app(WAITING);
    const first = one.call("a", { ms: 1_000 });
    await setTimeout(200);
    expect(await one.call("b", { ms: 1 }, { ms: 100 })).toEqual({
      ok: false,
      error:
        "no process became free within 0.1 s: all processes of the platform are busy. Raise PARLEY_APP_PROCESSES, or run another process of the platform",
    });
    expect(await first).toEqual({ ok: true });
    expect(await one.call("b", { ms: 1 })).toEqual({ ok: true });
  });

  test("set-up handlers, which run in separate processes, wait as well", async () => {
    const { app, pool } = await open({ settings: { maxProcesses: 1 } });
    const one = app(WAITING);
    const first = one.call("a", { ms: 300 });
    await setTimeout(150);
    const apart = one.runner.invokeApart("b", { handler: "h", args: { ms: 1 }, renders: false }, () =>
      Promise.resolve({ value: {} }),
    );
    expect(await Promise.all([first, apart])).toEqual([{ ok: true }, { ok: true }]);
    await until(() => pool.counts().processes === 0);
  });
});

test("starts at the same time are bounded, and code that never finishes loading does not block others", async () => {
  const { app, launched } = await open({ settings: { maxConcurrentStarts: 2, loadTimeoutMs: 4_000 } });
  const looping = app(`for (;;);`);
  const stuck = ["x", "y"].map((installation) => looping.call(installation));
  await until(() => launched.length === 2);
  const other = app(COUNTING).rendered("a");
  await setTimeout(100);
  expect(launched).toHaveLength(2);
  const begun = performance.now();
  expect(await other).toBe(1);
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(await Promise.all(stuck)).toMatchObject([{ ok: false }, { ok: false }]);
});

test("a call of the old version that waits for a process runs the newest code", async () => {
  const { app } = await open({ settings: { maxProcesses: 1 } });
  const busy = app(WAITING);
  const first = busy.call("a", { ms: 400 });
  await setTimeout(200);
  const one = app(`exports.h = () => renderData(null, "old");`);
  const waiting = one.rendered("b");
  one.update(`exports.h = () => renderData(null, "new");`);
  expect(await waiting).toBe("new");
  expect(await first).toEqual({ ok: true });
});

describe("the reserve", () => {
  test("has processes ready after the first start, which the next installation uses", async () => {
    const { app, launched } = await open({ reserveSize: 2 });
    const one = app(COUNTING);
    await one.rendered("a");
    await until(() => launched.length === 3);
    const reserved = launched.slice(1);
    expect(await one.rendered("b")).toBe(1);
    expect(await one.rendered("c")).toBe(1);
    // The reserve is filled again later.
    await until(() => launched.length === 5);
    expect(await one.rendered("c")).toBe(2);
    // Both ran in the processes that existed before: without these, they begin to count anew.
    killAll(reserved);
    expect(await survivors(reserved, 2_000)).toEqual([]);
    await setTimeout(100);
    expect(await one.rendered("b")).toBe(1);
    expect(await one.rendered("c")).toBe(1);
  });

  test("does not hand out a process that has ended", async () => {
    const { app, launched } = await open({ reserveSize: 1 });
    const one = app(COUNTING);
    await one.rendered("a");
    await until(() => launched.length === 2);
    killAll(launched.slice(1));
    expect(await survivors(launched.slice(1), 2_000)).toEqual([]);
    await setTimeout(100);
    expect(await one.rendered("b")).toBe(1);
  });

  test("ends with the pool, which can be used again", async () => {
    const { app, pool, launched } = await open({ reserveSize: 2 });
    const one = app(COUNTING);
    await one.rendered("a");
    await until(() => launched.length === 3);
    await pool.close();
    expect(await survivors(launched, 2_000)).toEqual([]);
    expect(await one.rendered("a")).toBe(1);
  });
});

test("a process that ends by itself fails its calls, and the next call gets another one", async () => {
  const { app, launched } = await open();
  const held = heldAnswers();
  const one = app(ASKING, { answer: held.answer });
  const call = one.call("a");
  await until(() => held.asked.length === 1);
  killAll(launched);
  expect(await call).toMatchObject({ ok: false, error: expect.stringContaining("process was ended") });
  const next = one.call("a");
  await until(() => held.asked.length === 2);
  held.release();
  expect(await next).toEqual({ ok: true });
});
