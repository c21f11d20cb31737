import { createHash } from "node:crypto";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { Day } from "./days.ts";
import { findRecord, putRecord, statusOf } from "./records.ts";

/** Events that are counted by day because the account does not count them. */
export type CountedEvent = "lead" | "rating";

const keyOf = (day: Day, what: CountedEvent): string => `tally:${what}:${day}`;
/** Retention of the counts: a report may be postponed for days. @units seconds */
const RETENTION_SECONDS = 14 * 24 * 3_600;

/** Shortened, since a record holds 40 KB: about 2,600 members. */
const memberOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 10);

/** Counts an event with its value for a day. A repeated event is counted once. -> false when the day's record is full */
export async function countEvent(
  db: KeyValueStore,
  day: Day,
  what: CountedEvent,
  id: string,
  value: number,
): Promise<boolean> {
  try {
    await putRecord(db, keyOf(day, what), { [memberOf(id)]: value }, RETENTION_SECONDS);
    return true;
  } catch (error) {
    if (statusOf(error) === 400) return false;
    throw error;
  }
}

/** The values of all events that were counted on a day. */
export const countsOf = async (db: KeyValueStore, day: Day, what: CountedEvent): Promise<readonly number[]> =>
  Object.values((await findRecord<Record<string, number>>(db, keyOf(day, what))) ?? {});
