import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openDatabase, statement } from "@parley/database";
import { testRelay } from "@parley/database/testing";
import type { JobTask } from "../../../src/base/jobs/index.ts";
import { jobsFixture, type JobsFixture } from "./jobs-fixture.ts";
import { held } from "../../held.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** Ends the connections at once, as a kill of the process does. */
const CUT = statement(
  "",
  `select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and classid = hashtext('parley.jobs')::oid`,
);

const BREAK = statement(
  "",
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley jobs'",
);

/** Delays the library's statement that records the end of a job. */
const DELAY_COMPLETION = [
  statement(
    "",
    `create function delay_completion() returns trigger language plpgsql as
      $$ begin perform pg_sleep(20); return old; end $$`,
  ),
  statement(
    "",
    "create trigger delayed before delete on parley_jobs._private_jobs for each row execute function delay_completion()",
  ),
];
const COMPLETE_AT_ONCE = statement("", "drop trigger delayed on parley_jobs._private_jobs");

const DELAYED = "from pg_stat_activity where application_name = 'parley jobs' and wait_event = 'PgSleep'";
const SELECT_DELAYED = statement("", `select pid ${DELAYED}`);
const BREAK_DELAYED = statement("", `select pg_terminate_backend(pid) ${DELAYED}`);

describe("when a process ends", () => {
  let at: JobsFixture;
  beforeEach(async () => {
    at = await jobsFixture();
  });
  afterEach(() => at.close());

  test("it waits briefly for the work in progress", async () => {
    let ended = false;
    const { promise, release } = held();
    const slow: JobTask = async () => {
      await promise;
      ended = true;
    };
    const one = at.process({ slow });
    await one.schedule(at.pool, { task: "slow", payload: null, due: at.now() });
    one.wake();
    await waitUntil(async () => (await at.left())[0]?.tries === 1);
    const closed = one.close();
    release();
    await closed;
    expect(ended).toBe(true);
    expect(await at.left()).toEqual([]);
  });

  test("unfinished work is released without counting an attempt, and another process does it", async () => {
    const events: string[] = [];
    const endless: JobTask = (_, { signal }) => {
      signal.addEventListener("abort", () => events.push("abort"));
      return new Promise(() => undefined);
    };
    const one = at.process({ work: endless });
    await one.schedule(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await waitUntil(async () => (await at.left())[0]?.tries === 1);
    await one.close();
    expect(events).toEqual(["abort"]);
    expect(await at.left()).toEqual([{ task: "work", tries: 0, queued: false }]);
    at.process({ work: async () => void events.push("done") });
    await waitUntil(() => events.includes("done"));
    await waitUntil(async () => (await at.left()).length === 0);
    expect(at.lines).toEqual([]);
  });

  test("by a kill, another process does its work", async () => {
    const done: string[] = [];
    let started = 0;
    let free: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const stuck: JobTask = () => {
      started += 1;
      return held;
    };
    const one = at.process({ work: stuck });
    await one.schedule(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await waitUntil(() => started === 1);
    await at.pool.rows(CUT, []);
    at.process({ work: async () => void done.push("two") });
    // The first process continues here under a new number: either may do the work that the old number held.
    await waitUntil(() => done.length + started === 2);
    free();
    await waitUntil(async () => (await at.left()).length === 0);
  });

  test("work is not affected by broken connections, whatever they were used for", async () => {
    const done = new Set<unknown>();
    const work: JobTask = async (payload) => {
      await setTimeout(20);
      done.add(payload);
    };
    const one = at.process({ work });
    for (let n = 0; n < 60; n += 1) await one.schedule(at.pool, { task: "work", payload: n, due: at.now() });
    one.wake();
    for (const share of [5, 15, 30, 45]) {
      await waitUntil(() => done.size >= share);
      await at.pool.rows(BREAK, []);
    }
    await waitUntil(async () => {
      at.forward(1_000);
      return (await at.left()).length === 0;
    });
    expect(done.size).toBe(60);
  });

  test("work continues after the library failed to record the end of two jobs", async () => {
    const done = new Set<unknown>();
    const ends: (() => void)[] = [];
    const work: JobTask = async (payload) => {
      done.add(payload);
      if (payload !== "later") await new Promise<void>((resolve) => ends.push(resolve));
    };
    const relay = await testRelay(at.database);
    const far = await openDatabase({ dataFolder: "", url: relay.url, log: () => undefined });
    const one = at.process({ work }, far);
    for (const n of [1, 2]) await one.schedule(at.pool, { task: "work", payload: n, due: at.now() });
    one.wake();
    await waitUntil(() => ends.length === 2);
    for (const sql of DELAY_COMPLETION) await at.pool.rows(sql, []);
    for (const end of ends) {
      end();
      // The library records both ends at the same time, but not in one statement.
      await setTimeout(50);
    }
    await waitUntil(async () => (await at.pool.rows(SELECT_DELAYED, [])).length === 2);
    // The first failure stops the library, which sends UNLISTEN. The second failure comes before the response.
    const held = relay.hold("UNLISTEN");
    await at.pool.rows(BREAK_DELAYED, []);
    const release = await held;
    await waitUntil(() => at.lines.filter((line) => line.includes("Failed to complete jobs")).length === 2);
    release();
    await at.pool.rows(COMPLETE_AT_ONCE, []);
    await one.schedule(at.pool, { task: "work", payload: "later", due: at.now() });
    one.wake();
    await waitUntil(() => done.has("later"));
    await one.close();
    await far.close();
    await relay.close();
  });

  test("a slow search for abandoned work does not mistake new work for it", async () => {
    const relay = await testRelay(at.database);
    const far = await openDatabase({ dataFolder: "", url: relay.url, log: () => undefined });
    const started: unknown[] = [];
    const ends = new Map<unknown, () => void>();
    const work: JobTask = (payload) => {
      started.push(payload);
      return new Promise((resolve) => ends.set(payload, resolve));
    };
    const one = at.process({ work }, far);
    for (const n of [1, 2, 3]) await one.schedule(at.pool, { task: "work", payload: n, due: at.now() });
    one.wake();
    await waitUntil(() => started.length === 2);
    const release = await relay.hold("due_work_recover");
    // Another piece of work starts while the search that does not know it is running.
    ends.get(started[0])?.();
    await waitUntil(() => started.length === 3);
    release();
    // The next search comes after the response to this one.
    (await relay.hold("due_work_recover"))();
    await waitUntil(async () => (await at.left()).filter(({ queued }) => queued).length === 2);
    for (const end of ends.values()) end();
    await waitUntil(async () => (await at.left()).length === 0);
    expect(started).toHaveLength(3);
    await one.close();
    await far.close();
    await relay.close();
  });

  test("an idle one ends quickly, and ending it again is harmless", async () => {
    const one = at.process({ work: async () => undefined });
    await one.schedule(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await waitUntil(async () => (await at.left()).length === 0);
    await Promise.all([one.close(), one.close()]);
  });

  test("one whose database does not respond ends too", async () => {
    const relay = await testRelay(at.database);
    const far = await openDatabase({ dataFolder: "", url: relay.url, log: () => undefined });
    const one = at.process({ work: async () => undefined }, far);
    await one.schedule(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await waitUntil(async () => (await at.left()).length === 0);
    relay.silence();
    await one.close();
    await relay.restore();
    await far.close();
    await relay.close();
  });

  test("one that never started ends too", async () => {
    const one = at.process();
    await one.close();
  });
});
