import {
  APP_LIMITS,
  isObject,
  Repeat,
  matchesSchema,
  SCHEDULE_UNITS,
  type Schedule,
  type ScheduleAction,
  type ScheduleReply,
} from "@parley/contract";
import { refuseCall } from "../../model/app-refused.ts";
import { refuseRecord } from "./records.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { ScheduleRow, ScheduleStore } from "../../state/schedules.sql.ts";

/** @units milliseconds */
const UNITS: Readonly<Record<Repeat["time_unit"], number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Start and interval of a repeating schedule. */
interface Recurring {
  readonly schedule_at: Date;
  readonly time_unit: Repeat["time_unit"] | null;
  readonly frequency: number | null;
}

/**
 * The next time after `now` on the grid that begins at `schedule_at`; null if the schedule doesn't repeat.
 * @assumed Times that were missed while no host ran fire once in total; then the schedule continues on its grid. A day has 24 hours.
 */
export const nextAfter = (now: Date, { schedule_at, time_unit, frequency }: Recurring): Date | null => {
  if (time_unit === null || frequency === null) return null;
  const period = UNITS[time_unit] * frequency;
  const turns = Math.floor((now.getTime() - schedule_at.getTime()) / period) + 1;
  return new Date(schedule_at.getTime() + Math.max(turns, 0) * period);
};

/** Schedule operations of an app. The options come from the app's process and may be any value. @errors AppRefused */
export type ScheduleApi = Readonly<Record<ScheduleAction, (options: unknown) => Promise<Schedule | ScheduleReply>>>;

interface SchedulesDeps {
  readonly store: ScheduleStore;
  readonly now: () => Date;
  /** Called when a schedule may be due earlier than before. */
  readonly changed: () => void;
}

/** @units days; no valid date is further away */
const DAYS_AHEAD_MAX = 100_000;
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

function refuseUnknown(): never {
  refuseCall(404, "Schedule does not exist");
}
const done = (what: string): ScheduleReply => ({ status: 200, message: `Schedule ${what}` });

const optionsOf = (options: unknown): Record<string, unknown> => {
  if (!isObject(options)) refuseRecord("$schedule takes an object of options");
  return options;
};
const nameOf = ({ name }: Record<string, unknown>): string => {
  if (typeof name !== "string" || name === "" || name.length > APP_LIMITS.scheduleNameCharacters || name.includes("\0"))
    refuseRecord(`The name of a schedule must be a text of 1 to ${APP_LIMITS.scheduleNameCharacters} characters`);
  return name;
};
const dataOf = (data: unknown = {}): string => {
  if (!isObject(data)) refuseRecord("The data of a schedule must be an object");
  const text = JSON.stringify(data);
  if (Buffer.byteLength(text) > APP_LIMITS.scheduleDataBytes)
    refuseRecord("The data of a schedule must not exceed 4 KB");
  return text;
};
const timeOf = (text: unknown): Date => {
  const time = typeof text === "string" && ISO.test(text) ? new Date(text) : undefined;
  if (!time || Number.isNaN(time.getTime()))
    refuseRecord("schedule_at must be a time as ISO 8601 has it, such as 2030-01-31T09:00:00.000Z");
  return time;
};
const repeatOf = (repeat: unknown): Pick<ScheduleRow, "time_unit" | "frequency"> => {
  if (repeat === undefined || repeat === null) return { time_unit: null, frequency: null };
  if (!matchesSchema(Repeat, repeat) || repeat.frequency > DAYS_AHEAD_MAX)
    refuseRecord(`repeat must have a time_unit (${SCHEDULE_UNITS.join(", ")}) and a frequency, a whole number from 1`);
  return { time_unit: repeat.time_unit, frequency: repeat.frequency };
};

const asSchedule = ({ name, data, schedule_at, time_unit, frequency }: ScheduleRow): Schedule => ({
  name,
  data: JSON.parse(data) as Schedule["data"],
  schedule_at: schedule_at.toISOString(),
  ...(time_unit === null || frequency === null ? {} : { repeat: { time_unit, frequency } }),
});

/** Returns a schedule after an update; members that the update lacks are unchanged. */
const changed = (before: ScheduleRow, input: Record<string, unknown>, now: Date): ScheduleRow => {
  const schedule_at = input["schedule_at"] === undefined ? before.schedule_at : timeOf(input["schedule_at"]);
  const repeat = input["repeat"] === undefined ? before : repeatOf(input["repeat"]);
  const row = { ...before, schedule_at, time_unit: repeat.time_unit, frequency: repeat.frequency };
  const data = input["data"] === undefined ? before.data : dataOf(input["data"]);
  if (input["schedule_at"] !== undefined) return { ...row, data, due_time: schedule_at };
  if (input["repeat"] === undefined) return { ...row, data };
  // A start in the future is unchanged by a new interval.
  const due_time = schedule_at > now ? schedule_at : nextAfter(now, row);
  return { ...row, data, due_time };
};

/**
 * The schedules of one app on one account.
 * @assumed A time in the past fires at once. A schedule that has fired for the last time can still be fetched, and a new one may take its
 * name; the name of a schedule that is still pending is answered 409.
 */
export const createSchedules = ({ store, now, changed: onChange }: SchedulesDeps, owner: RecordOwner): ScheduleApi => ({
  async create(options) {
    const input = optionsOf(options);
    const name = nameOf(input);
    const schedule_at = timeOf(input["schedule_at"]);
    const row = { name, data: dataOf(input["data"]), schedule_at, ...repeatOf(input["repeat"]), due_time: schedule_at };
    if (!(await store.create(owner, row, now())))
      refuseCall(409, `Schedule '${name}' exists already: update or delete it`);
    onChange();
    return done("created");
  },
  async fetch(options) {
    const row = await store.find(owner, nameOf(optionsOf(options)));
    if (!row) refuseUnknown();
    return asSchedule(row);
  },
  async update(options) {
    const input = optionsOf(options);
    if (!(await store.change(owner, nameOf(input), now(), (before) => changed(before, input, now())))) refuseUnknown();
    onChange();
    return done("updated");
  },
  async delete(options) {
    if (!(await store.remove(owner, nameOf(optionsOf(options))))) refuseUnknown();
    return done("deleted");
  },
});
