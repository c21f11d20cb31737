import { expect, test } from "@jest/globals";
import type { KeyValueStore } from "@parley/framework/sdk";
import { countDailyEvent, dailyCountsOf } from "../../../server/lib/digest.ts";

const failure = (status: number, message: string) => Object.assign(new Error(message), { status });

/** The host's records, as far as the counts use them. */
const records = () => {
  const stored = new Map<string, { value: Record<string, unknown>; ttl?: number }>();
  const state = { refusal: undefined as Error | undefined };
  const db: Pick<KeyValueStore, "get" | "set" | "update"> = {
    get(key) {
      const record = stored.get(key);
      return record ? Promise.resolve(record.value) : Promise.reject(failure(404, "Record not found"));
    },
    set(key, value, options) {
      stored.set(key, { value: { ...value }, ...(options?.ttl && { ttl: options.ttl }) });
      return Promise.resolve({ Created: true });
    },
    update(key, _action, attributes) {
      const record = stored.get(key);
      if (state.refusal) return Promise.reject(state.refusal);
      if (!record) return Promise.reject(failure(404, "Record not found"));
      Object.assign(record.value, attributes);
      return Promise.resolve({ Updated: true });
    },
  };
  return { db: db as KeyValueStore, stored, state };
};

test("a repeated event is counted once per day and kind", async () => {
  const { db, stored } = records();
  expect(await dailyCountsOf(db, "2026-01-05", "rating")).toEqual([]);
  for (const [id, value] of [
    ["1-1", 5],
    ["2-1", 4],
    ["1-1", 5],
  ] as const)
    expect(await countDailyEvent(db, "2026-01-05", "rating", id, value)).toBe(true);
  await countDailyEvent(db, "2026-01-05", "lead", "1-1", 1);
  await countDailyEvent(db, "2026-01-06", "rating", "1-1", 1);
  expect(await dailyCountsOf(db, "2026-01-05", "rating")).toEqual([5, 4]);
  expect(await dailyCountsOf(db, "2026-01-05", "lead")).toEqual([1]);
  expect(await dailyCountsOf(db, "2026-01-06", "rating")).toEqual([1]);
  const record = stored.get("tally:rating:2026-01-05");
  expect(record?.ttl).toBe(14 * 86_400);
  expect(Object.keys(record?.value ?? {})).toEqual([
    expect.stringMatching(/^[0-9a-f]{10}$/),
    expect.stringMatching(/^[0-9a-f]{10}$/),
  ]);
});

test("a full record is reported, and any other failure is thrown", async () => {
  const { db, state } = records();
  await countDailyEvent(db, "2026-01-05", "lead", "1", 1);
  state.refusal = failure(400, "Key and value must not exceed 40 KB");
  expect(await countDailyEvent(db, "2026-01-05", "lead", "2", 1)).toBe(false);
  state.refusal = failure(500, "The database is away");
  await expect(countDailyEvent(db, "2026-01-05", "lead", "2", 1)).rejects.toBe(state.refusal);
});
