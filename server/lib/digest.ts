import { createHash } from "node:crypto";
import type { KeyValueStore } from "@parley/framework/sdk";
import { type Day, daysAfter, startOfDay, type ZoneTime } from "./time-zone.ts";
import { findRecord, putRecord, statusOf } from "./records.ts";

/** Events that are counted by day because the account does not count them. */
type CountedEvent = "lead" | "rating";

const keyOf = (day: Day, kind: CountedEvent): string => `tally:${kind}:${day}`;
/** Retention of the counts: a report may be postponed for days. @units seconds */
const RETENTION_SECONDS = 14 * 24 * 3_600;

/** Shortened, since a record holds 40 KB: about 2,600 members. */
const memberOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 10);

/** Counts an event with its value for a day. A repeated event is counted once. -> false when the day's record is full */
export async function countDailyEvent(
  db: KeyValueStore,
  day: Day,
  kind: CountedEvent,
  id: string,
  value: number,
): Promise<boolean> {
  try {
    await putRecord(db, keyOf(day, kind), { [memberOf(id)]: value }, RETENTION_SECONDS);
    return true;
  } catch (error) {
    if (statusOf(error) === 400) return false;
    throw error;
  }
}

/** The values of all events that were counted on a day. */
export const dailyCountsOf = async (db: KeyValueStore, day: Day, kind: CountedEvent): Promise<readonly number[]> =>
  Object.values((await findRecord<Record<string, number>>(db, keyOf(day, kind))) ?? {});

/** Returns the next time after `after` at which the local time is `hour`; if daylight saving time skips that hour, the time to which it is moved. */
export function nextReportTime(after: Date, hour: number, zone: ZoneTime): Date {
  for (let { day } = zone.at(after); ; day = daysAfter(day, 1)) {
    const time = zone.timeOf(day, hour * 60);
    if (time > after) return time;
  }
}

/** Returns the last complete day before a time, from midnight to midnight. */
export const dayBefore = (
  time: Date,
  zone: ZoneTime,
): { readonly day: Day; readonly start: Date; readonly end: Date } => {
  const today = zone.at(time).day;
  const day = daysAfter(today, -1);
  return { day, start: zone.timeOf(day, 0), end: zone.timeOf(today, 0) };
};

/** Figures of a day. @units firstResponse, resolution: seconds, the median; undefined without a value */
export interface Figures {
  readonly begun: number;
  readonly resolved: number;
  readonly firstResponse: number | undefined;
  readonly resolution: number | undefined;
  readonly ratings: readonly number[];
  readonly leads: number;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** Formats a duration in its two largest units, rounded: "1 h 5 min". */
export function durationText(seconds: number): string {
  const largest = UNITS.find(([, size]) => seconds >= size) ?? UNITS[3];
  const least = UNITS[Math.min(UNITS.indexOf(largest) + 1, UNITS.length - 1)]?.[1] ?? 1;
  let rest = Math.round(seconds / least) * least;
  const parts: string[] = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ") || "0 s";
}

/** -> undefined for an empty list @units points, to one decimal place */
export const averageOf = (ratings: readonly number[]): number | undefined =>
  ratings.length === 0
    ? undefined
    : Math.round((ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length) * 10) / 10;

const weekday = (day: Day): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", weekday: "long" }).format(startOfDay(day));

/** Formats the report as text, one figure per line. */
export function digestText(day: Day, { begun, resolved, firstResponse, resolution, ratings, leads }: Figures): string {
  const average = averageOf(ratings);
  const rows = [
    ["Conversations begun or reopened", `${begun}`],
    ["Conversations resolved", `${resolved}`],
    ["First response, median", firstResponse === undefined ? "–" : durationText(firstResponse)],
    ["Resolution, median", resolution === undefined ? "–" : durationText(resolution)],
    ["Ratings", average === undefined ? "0" : `${ratings.length}, on average ${average} of 5`],
    ["Leads", `${leads}`],
  ] as const;
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return [
    `Report of ${weekday(day)}, ${day}`,
    "",
    ...rows.map(([name, value]) => `${name.padEnd(width)}${value}`),
  ].join("\n");
}
