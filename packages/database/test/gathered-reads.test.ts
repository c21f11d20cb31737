import { describe, expect, test } from "@jest/globals";
import { gather, QueueFull } from "../src/index.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("gathered reads", () => {
  test("queries of one tick are sent together, at most maxBatch in a batch and maxInFlight batches concurrently", async () => {
    const sizes: number[] = [];
    let inFlight = 0;
    let concurrentMax = 0;
    const ask = gather({
      name: "items",
      maxBatch: 4,
      maxInFlight: 2,
      run: async (queries: readonly number[]) => {
        sizes.push(queries.length);
        concurrentMax = Math.max(concurrentMax, ++inFlight);
        await pause(2);
        inFlight--;
        return queries.map((query) => query * 2);
      },
    });
    const responses = await Promise.all(Array.from({ length: 11 }, (_, query) => ask(query)));
    expect(responses).toEqual(Array.from({ length: 11 }, (_, query) => query * 2));
    expect(sizes).toEqual([4, 4, 3]);
    expect(concurrentMax).toBe(2);
  });

  test("only the faulty query fails", async () => {
    const ask = gather({
      name: "items",
      run: async (queries: readonly number[]) => {
        if (queries.includes(2)) throw new Error("two is guilty");
        return queries;
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(ask));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("a lost connection costs a second attempt, not a result", async () => {
    let runs = 0;
    const ask = gather({
      name: "items",
      run: async (queries: readonly number[]) => {
        if (++runs === 1) throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
        return queries;
      },
    });
    expect(await Promise.all([1, 2].map(ask))).toEqual([1, 2]);
    expect(runs).toBe(2);
  });

  test("a connection lost twice fails the queries", async () => {
    const gone = Object.assign(new Error("gone"), { code: "57P03" });
    const ask = gather<number, number>({ name: "items", run: () => Promise.reject(gone) });
    await expect(ask(1)).rejects.toBe(gone);
  });

  test("a batch that takes too long is retried for at most two of its queries, and the others are refused", async () => {
    const sizes: number[] = [];
    const ask = gather<number, number>({
      name: "items",
      run: async (queries) => {
        sizes.push(queries.length);
        throw Object.assign(new Error("too long"), { code: "57014" });
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(ask));
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect(sizes).toEqual([4, 1, 1]);
  });

  test("a wrong number of results fails the queries", async () => {
    const ask = gather<number, number>({ name: "items", run: () => Promise.resolve([]) });
    await expect(ask(1)).rejects.toThrow("answered with 0");
  });

  test("a full queue refuses at once", async () => {
    const ask = gather({
      name: "items",
      maxQueue: 1,
      maxInFlight: 1,
      run: async (queries: readonly number[]) => queries,
    });
    const first = ask(1);
    await expect(ask(2)).rejects.toThrow(QueueFull);
    expect(await first).toBe(1);
    expect(await ask(3)).toBe(3);
  });
});
