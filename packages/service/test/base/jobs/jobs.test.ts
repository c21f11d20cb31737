import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../../test/support/campaign.ts";
import { statement } from "@parley/database";
import type { JobTask } from "../../../src/base/jobs/index.ts";
import { jobsFixture, type JobsFixture } from "./jobs-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const HAS_QUEUE = statement("", "select 1 from pg_namespace where nspname = 'parley_jobs'");
const LOCK_ROWS = statement("", "select count(*)::integer as count from parley_jobs.jobs");

describe("background work", () => {
  let at: JobsFixture;
  let done: unknown[];
  const note: JobTask = async (payload) => void done.push(payload);
  beforeEach(async () => {
    at = await jobsFixture();
    done = [];
  });
  afterEach(() => at.close());

  const ask = (task: string, payload: unknown, inMs = 0) => {
    const due = new Date(at.now().getTime() + inMs);
    return asker.schedule(at.pool, { task, payload, due });
  };
  let asker: ReturnType<JobsFixture["process"]>;
  beforeEach(() => {
    asker = at.process();
  });

  test("is done once when it is due by the service's clock, and not before", async () => {
    const one = at.process({ note });
    await ask("note", { n: 1 });
    await ask("note", { n: 2 }, 60_000);
    one.wake();
    await waitUntil(() => done.length === 1);
    expect(done).toEqual([{ n: 1 }]);
    // The first job has run; its row is removed a moment later.
    await waitUntil(async () => (await at.left()).length === 1);
    at.forward(59_999);
    one.wake();
    expect(await at.left()).toEqual([{ task: "note", tries: 0, queued: false }]);
    at.forward(1);
    await waitUntil(() => done.length === 2);
    await waitUntil(async () => (await at.left()).length === 0);
    expect(done).toEqual([{ n: 1 }, { n: 2 }]);
    const [row] = await at.pool.rows<{ count: number }>(LOCK_ROWS, []);
    await waitUntil(async () => (await at.pool.one<{ count: number }>(LOCK_ROWS, []))?.count === 0);
    expect(row).toBeDefined();
  });

  test("is scheduled exactly when its transaction commits", async () => {
    const one = at.process({ note });
    await expect(
      at.pool.transaction(async (tx) => {
        await asker.schedule(tx, { task: "note", payload: "lost", due: at.now() });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await at.pool.transaction((tx) => asker.schedule(tx, { task: "note", payload: "kept", due: at.now() }));
    one.wake();
    await waitUntil(() => done.length > 0);
    expect(done).toEqual(["kept"]);
  });

  test("creates the queue's tables only when it exists", async () => {
    const one = at.process({ note });
    await ask("note", 1, 60_000);
    one.wake();
    await waitUntil(async () => (await at.left()).length === 1);
    expect(await at.pool.one(HAS_QUEUE, [])).toBeUndefined();
    await one.close();
    expect(at.lines).toEqual([]);
  });

  test("that fails is retried after increasing delays, and logged when it finally fails", async () => {
    const numbers: number[] = [];
    const fail: JobTask = async (_, { number, isLast }) => {
      numbers.push(number);
      expect(isLast).toBe(number === 9);
      throw new Error("no luck\nwith secrets below");
    };
    at.process({ fail });
    await ask("fail", null);
    for (const seconds of [1, 10, 60, 300, 900, 3_600, 7_200, 14_400]) {
      const before = numbers.length;
      await waitUntil(async () => numbers.length === before + 1 && (await at.left())[0]?.queued === false);
      at.forward(seconds * 1000);
    }
    await waitUntil(async () => (await at.left()).length === 0);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(at.lines).toEqual(["error: jobs: fail failed after 9 attempts and is not retried: no luck"]);
  });

  campaignTest("with an unknown name waits for a release that knows it", async () => {
    const old = at.process({});
    await ask("note", "later");
    old.wake();
    await waitUntil(async () => (await at.left())[0]?.tries === 1);
    await old.close();
    at.process({ note });
    at.forward(1_000);
    await waitUntil(() => done.length === 1);
  });

  campaignTest("is shared by two processes, each piece by one of them, two at a time in each", async () => {
    const by: string[] = [];
    let underWay = 0;
    let concurrentMax = 0;
    const started = new Set<string>();
    const as = (name: string) => ({
      count: (async (payload) => {
        underWay += 1;
        concurrentMax = Math.max(concurrentMax, underWay);
        started.add(name);
        // No process can finish alone: each one has work.
        await waitUntil(() => started.size === 2);
        underWay -= 1;
        by.push(name);
        done.push(payload);
      }) satisfies JobTask,
    });
    const [one, two] = [at.process(as("one")), at.process(as("two"))];
    await Promise.all(Array.from({ length: 60 }, (_, n) => ask("count", n)));
    one.wake();
    two.wake();
    await waitUntil(async () => (await at.left()).length === 0);
    expect(new Set(done).size).toBe(60);
    expect(done).toHaveLength(60);
    expect(concurrentMax).toBeLessThanOrEqual(4);
    expect(new Set(by).size).toBe(2);
  });
});
