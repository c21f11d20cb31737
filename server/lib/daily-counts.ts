import { createHash } from "node:crypto";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { Day } from "./days.ts";
import { findRecord, putRecord, statusOf } from "./records.ts";

/** What is counted by day, as the account does not tell it. */
export type CountedEvent = "lead" | "rating";

const keyOf = (day: Day, what: CountedEvent): string => `tally:${what}:${day}`;
/** A report may be put off for days. @units seconds */
const KEPT_SECONDS = 14 * 24 * 3_600;

/** Short, since a record holds 40 KB: about 2,600 of them. */
const memberOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 10);

/** Counts a thing with its value for a day: the same one twice is there once. -> false when the day's record is full */
export async function countEvent(
  db: KeyValueStore,
  day: Day,
  what: CountedEvent,
  id: string,
  value: number,
): Promise<boolean> {
  try {
    await putRecord(db, keyOf(day, what), { [memberOf(id)]: value }, KEPT_SECONDS);
    return true;
  } catch (error) {
    if (statusOf(error) === 400) return false;
    throw error;
  }
}

/** The values of all that was counted on a day. */
export const countsOf = async (db: KeyValueStore, day: Day, what: CountedEvent): Promise<readonly number[]> =>
  Object.values((await findRecord<Record<string, number>>(db, keyOf(day, what))) ?? {});
