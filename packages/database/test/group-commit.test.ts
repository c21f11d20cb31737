import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { groupCommit, QueueFull } from "../src/index.ts";

/** A `run` function that stays in progress until it is released, and records its batches. */
function gate<I>() {
  const batches: (readonly I[])[] = [];
  const waiting: (() => void)[] = [];
  const run = async (items: readonly I[]) => {
    batches.push(items);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return items;
  };
  const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 2));
  return {
    batches,
    run,
    tick,
    next: async () => {
      await tick();
      waiting.shift()?.();
      await tick();
    },
  };
}

const lost = () => Object.assign(new Error("terminating connection"), { code: "57P01" });

describe("group commit", () => {
  test("items of one tick share a batch, and those that arrive while it runs share the next batch", async () => {
    const { batches, run, next } = gate<number>();
    const group = groupCommit({ name: "items", run });
    const first = Promise.all([1, 2, 3].map((item) => group.submit(item)));
    await new Promise(setImmediate);
    const second = Promise.all([4, 5].map((item) => group.submit(item)));
    await next();
    await next();
    expect(await first).toEqual([1, 2, 3]);
    expect(await second).toEqual([4, 5]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("no item completes before its batch has ended, and one batch runs at a time", async () => {
    const { batches, run, next, tick } = gate<number>();
    const group = groupCommit({ name: "items", run, maxBatch: 1 });
    const answered: number[] = [];
    for (const item of [1, 2]) void group.submit(item).then((output) => answered.push(output));
    await tick();
    expect([answered, batches]).toEqual([[], [[1]]]);
    await next();
    expect([answered, batches]).toEqual([[1], [[1], [2]]]);
    await next();
    expect(answered).toEqual([1, 2]);
  });

  test("no batch is larger than maxBatch", async () => {
    const sizes: number[] = [];
    const group = groupCommit({
      name: "items",
      maxBatch: 10,
      run: async (items: readonly number[]) => {
        sizes.push(items.length);
        return items;
      },
    });
    await Promise.all(Array.from({ length: 35 }, (_, item) => group.submit(item)));
    expect(sizes).toEqual([10, 10, 10, 5]);
  });

  test("a batch that throws is retried item by item, so that only the faulty item fails", async () => {
    const runs: (readonly number[])[] = [];
    const group = groupCommit({
      name: "items",
      run: async (items: readonly number[]) => {
        runs.push(items);
        if (items.includes(2)) throw new Error("two is guilty");
        return items.map((item) => item * 10);
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
    expect(outcomes).toEqual([
      { status: "fulfilled", value: 10 },
      { status: "rejected", reason: new Error("two is guilty") },
      { status: "fulfilled", value: 30 },
    ]);
    expect(runs).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  test("a lost connection fails the whole batch without a retry, since the commit may have succeeded", async () => {
    let runs = 0;
    const group = groupCommit<number, number>({
      name: "items",
      run: async () => {
        runs++;
        throw lost();
      },
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => group.submit(item)));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
    expect(runs).toBe(1);
  });

  test("items behind a batch that the server did not answer for too long are refused, and later items run", async () => {
    const ran: (readonly number[])[] = [];
    let begin: (lose: () => void) => void = () => undefined;
    const begun = new Promise<() => void>((resolve) => (begin = resolve));
    const group = groupCommit<number, number>({
      name: "items",
      maxBatch: 1,
      maxLostWaitMs: 0,
      run: async (items) => {
        ran.push(items);
        if (ran.length === 1) await new Promise<void>((_, reject) => begin(() => reject(lost())));
        return items;
      },
    });
    const outcomes = Promise.allSettled([group.submit(1), group.submit(2), group.submit(3)]);
    (await begun)();
    const [first, ...others] = await outcomes;
    expect(first).toMatchObject({ status: "rejected", reason: { code: "57P01" } });
    for (const other of others) expect(other).toMatchObject({ status: "rejected", reason: { name: "QueueFull" } });
    expect(await group.submit(4)).toBe(4);
    expect(ran).toEqual([[1], [4]]);
  });

  test("a connection lost during the item-by-item retry fails the remaining items", async () => {
    const group = groupCommit<number, number>({
      name: "items",
      run: async (items) => {
        if (items.length > 1) throw new Error("one of them");
        if (items[0] === 2) throw lost();
        return items;
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  test.each([
    ["a lock that another transaction holds", "55P03"],
    ["a statement that takes too long", "57014"],
  ])("%s is detected by two items of a batch, and the others are refused", async (_, code) => {
    const runs: number[] = [];
    const group = groupCommit<number, number>({
      name: "items",
      run: async (items) => {
        runs.push(items.length);
        if (items.some((item) => item !== 1)) throw Object.assign(new Error("held"), { code });
        return items;
      },
    });
    const outcomes = await Promise.allSettled([0, 1, 2, 3, 4].map((item) => group.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "rejected", "rejected"]);
    expect(runs).toEqual([5, 1, 1, 1]);
  });

  test("an Error among the results fails its own item only", async () => {
    const group = groupCommit<number, string>({
      name: "items",
      run: async (items) => items.map((item) => (item === 1 ? new Error("refused") : "done")),
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => group.submit(item)));
    expect(outcomes).toEqual([
      { status: "rejected", reason: new Error("refused") },
      { status: "fulfilled", value: "done" },
    ]);
  });

  test("a wrong number of results fails the batch", async () => {
    const group = groupCommit<number, number>({ name: "items", run: async () => [] });
    await expect(group.submit(1)).rejects.toThrow("answered with 0");
  });

  test("a full queue refuses at once, and accepts items again when there is room", async () => {
    const { run, next, tick } = gate<number>();
    const group = groupCommit({ name: "items", run, maxQueue: 2 });
    const first = group.submit(1);
    await tick();
    const more = [group.submit(2), group.submit(3)];
    await expect(group.submit(4)).rejects.toThrow(QueueFull);
    await next();
    const late = group.submit(5);
    await next();
    await next();
    expect(await Promise.all([first, ...more, late])).toEqual([1, 2, 3, 5]);
  });

  test("close completes waiting items and refuses later items", async () => {
    const { run, next } = gate<number>();
    const group = groupCommit({ name: "items", run });
    const waiting = group.submit(1);
    const closed = group.close();
    await expect(group.submit(2)).rejects.toThrow("closed");
    await next();
    expect(await waiting).toBe(1);
    await closed;
  });

  test("items of one key keep their order, and no batch contains two of them", async () => {
    const items = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), late: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(items, fc.integer({ min: 1, max: 6 }), async (input, maxBatch) => {
        const numbered = input.map((item, number) => ({ ...item, number }));
        const batches: (readonly (typeof numbered)[number][])[] = [];
        const group = groupCommit<(typeof numbered)[number], number>({
          name: "items",
          maxBatch,
          keyOf: (item) => item.key,
          run: async (batch) => {
            batches.push(batch);
            await Promise.resolve();
            return batch.map(({ number }) => number);
          },
        });
        const responses: Promise<number>[] = [];
        for (const item of numbered) {
          if (item.late) await new Promise(setImmediate);
          responses.push(group.submit(item));
        }
        expect(await Promise.all(responses)).toEqual(numbered.map(({ number }) => number));
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(maxBatch);
          expect(new Set(batch.map(({ key }) => key)).size).toBe(batch.length);
        }
        for (const key of ["a", "b", "c"]) {
          const order = batches.flat().filter((item) => item.key === key);
          expect(order).toEqual(numbered.filter((item) => item.key === key));
        }
      }),
      { numRuns: 200 },
    );
  });
});
