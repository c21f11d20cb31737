import Type, { type Static } from "typebox";

/** Actions of an app on its schedules: `$schedule.<action>(options)`. */
export const ScheduleAction = Type.Enum(["create", "fetch", "update", "delete"]);
export type ScheduleAction = Static<typeof ScheduleAction>;

export const SCHEDULE_UNITS = ["minutes", "hours", "days"] as const;

/** The interval of a recurring schedule. */
export const Repeat = Type.Object(
  { time_unit: Type.Enum([...SCHEDULE_UNITS]), frequency: Type.Integer({ minimum: 1 }) },
  { title: "Repeat" },
);
export type Repeat = Static<typeof Repeat>;

/** A schedule as an app creates it. @shape schedule_at: ISO 8601; data: at most 4 KB as JSON; name: at most 30 characters */
export interface Schedule {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly schedule_at: string;
  readonly repeat?: Repeat;
}

/** A run of a schedule whose handler failed at every attempt. The host keeps it until it is retried by hand. @shape times: ISO 8601 */
export interface FailedSchedule {
  readonly id: string;
  /** Name of the schedule. */
  readonly name: string;
  readonly data: Schedule["data"];
  readonly due_time: string;
  readonly failed_time: string;
  readonly tries: number;
  /** The handler's last error. */
  readonly reason: string;
}

/** Result of every action except `fetch`, which returns the schedule. */
export interface ScheduleReply {
  readonly status: 200;
  readonly message: string;
}
