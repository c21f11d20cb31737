import Type, { type Static } from "typebox";

/** What an app may do with its schedules: `$schedule.<action>(options)`. */
export const ScheduleAction = Type.Enum(["create", "fetch", "update", "delete"]);
export type ScheduleAction = Static<typeof ScheduleAction>;

export const SCHEDULE_UNITS = ["minutes", "hours", "days"] as const;

/** How often a schedule comes back. */
export const Repeat = Type.Object(
  { time_unit: Type.Enum([...SCHEDULE_UNITS]), frequency: Type.Integer({ minimum: 1 }) },
  { title: "Repeat" },
);
export type Repeat = Static<typeof Repeat>;

/** A schedule as an app makes it. @shape schedule_at: ISO 8601; data: at most 4 KB as JSON; name: at most 30 characters */
export interface Schedule {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly schedule_at: string;
  readonly repeat?: Repeat;
}

/** A time at which a schedule was due and its handler failed at every try, until it is asked for again. @shape times: ISO 8601 */
export interface FailedSchedule {
  readonly id: string;
  /** Of the schedule. */
  readonly name: string;
  readonly data: Schedule["data"];
  readonly due_time: string;
  readonly failed_time: string;
  readonly tries: number;
  /** What the handler failed with last. */
  readonly reason: string;
}

/** What the actions resolve to, but for `fetch`, which gives the schedule. */
export interface ScheduleReply {
  readonly status: 200;
  readonly message: string;
}
