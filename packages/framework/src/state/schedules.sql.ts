import { statement, type Db, type Pool } from "@parley/database";
import { addChangeReport, type ChangeReport } from "../identity/change-reports.sql.ts";
import type { RecordOwner } from "./records.sql.ts";
import type { Repeat } from "@parley/contract";

/** A row of `schedules`; `data` is JSON text. */
export interface ScheduleRow {
  readonly name: string;
  readonly data: string;
  readonly schedule_at: Date;
  readonly time_unit: Repeat["time_unit"] | null;
  readonly frequency: number | null;
  /** Next time at which the schedule fires; null after it has fired for the last time. */
  readonly due_time: Date | null;
  readonly created_time: Date;
}

/** A schedule that is due, with its owner. */
export type DueSchedule = ScheduleRow & RecordOwner;

/** The apps whose schedules a process of the platform fires. */
export interface ServedApps {
  /** Names of apps that are read from folders, for the account that this process serves them to. */
  readonly live: readonly RecordOwner[];
  /** Whether published apps are served. */
  readonly published: boolean;
  /** Id of the process. */
  readonly process: string;
}

type ScheduleValues = Omit<ScheduleRow, "created_time">;

const COLUMNS = "name, data, schedule_at, time_unit, frequency, due_time, created_time";
const BY_NAME = "project = $1 AND account = $2 AND name = $3";

/** Replaces a schedule of the same name that has fired for the last time. */
const CREATE = statement(
  "create_schedule",
  `INSERT INTO schedules (project, account, name, data, schedule_at, time_unit, frequency, due_time, created_time, updated_time)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   ON CONFLICT (project, account, name) DO UPDATE
   SET data = excluded.data, schedule_at = excluded.schedule_at, time_unit = excluded.time_unit,
       frequency = excluded.frequency, due_time = excluded.due_time, created_time = excluded.created_time,
       updated_time = excluded.updated_time
     WHERE schedules.due_time IS NULL
   RETURNING name`,
);
const FIND = statement("find_schedule", `SELECT ${COLUMNS} FROM schedules WHERE ${BY_NAME}`);
const LIST_OF_OWNER = statement(
  "list_schedules",
  `SELECT ${COLUMNS} FROM schedules WHERE project = $1 AND account = $2 ORDER BY due_time NULLS LAST, name LIMIT $3`,
);
const FIND_FOR_UPDATE = statement(
  "find_schedule_for_update",
  `SELECT ${COLUMNS} FROM schedules WHERE ${BY_NAME} FOR UPDATE`,
);
const CHANGE = statement(
  "change_schedule",
  `UPDATE schedules
   SET data = $4, schedule_at = $5, time_unit = $6, frequency = $7, due_time = $8, updated_time = $9
   WHERE ${BY_NAME}`,
);
const REMOVE = statement("remove_schedule", `DELETE FROM schedules WHERE ${BY_NAME} RETURNING ${COLUMNS}`);
const FIND_NEXT = statement(
  "next_schedule",
  "SELECT min(due_time) AS due_time FROM schedules WHERE project = $1 AND account = $2",
);
const COUNT_DUE = statement(
  "count_due_schedules",
  "SELECT count(*)::integer AS count FROM schedules WHERE due_time <= $1",
);
/** Schedules of active installations that no other living process holds, of accounts that are not closed. */
const FIREABLE = `
  FROM schedules
  JOIN installations USING (project, account)
  LEFT JOIN installation_leases ON installation_leases.installation_id = installations.id AND process_id <> $1
  LEFT JOIN platform_processes
    ON platform_processes.id = process_id AND platform_processes.expires_time > clock_timestamp()
  WHERE schedules.due_time IS NOT NULL AND installations.state = 'active' AND platform_processes.id IS NULL
    AND NOT EXISTS (SELECT FROM closed_accounts WHERE closed_accounts.account = installations.account)
    AND ((app_version IS NOT NULL AND $2)
      OR (app_version IS NULL AND (project, account) IN (SELECT * FROM unnest($3::text[], $4::text[]))))`;
const NEXT_OF_ALL = statement("next_schedule_of_all", `SELECT min(schedules.due_time) AS due_time ${FIREABLE}`);
const DUE = statement(
  "due_schedules",
  `SELECT project, account, schedules.name, schedules.data, schedule_at, time_unit, frequency, schedules.due_time,
          schedules.created_time
   ${FIREABLE} AND schedules.due_time <= $5 ORDER BY schedules.due_time, schedules.name LIMIT $6`,
);
/** Has no effect if the handler or another process has changed the schedule in the meantime. */
const MOVE = statement(
  "move_schedule",
  `UPDATE schedules SET due_time = $6 WHERE ${BY_NAME} AND created_time = $4 AND due_time = $5`,
);

const servedValues = ({ process, published, live }: ServedApps) => [
  process,
  published,
  live.map(({ project }) => project),
  live.map(({ account }) => account),
];

/** Rows of the table `schedules`. */
export const scheduleStore = (pool: Pool) => ({
  /** -> number of schedules whose time has come */
  countDue: async (now: Date): Promise<number> =>
    (await pool.one<{ readonly count: number }>(COUNT_DUE, [now]))?.count ?? 0,
  /** -> whether no pending schedule had this name */
  create: async ({ project, account }: RecordOwner, row: ScheduleValues, now: Date): Promise<boolean> => {
    const { name, data, schedule_at, time_unit, frequency, due_time } = row;
    const values = [project, account, name, data, schedule_at, time_unit, frequency, due_time, now];
    return (await pool.one(CREATE, values)) !== undefined;
  },

  find: ({ project, account }: RecordOwner, name: string) => pool.one<ScheduleRow>(FIND, [project, account, name]),

  /** By their next time; those that don't fire again last. */
  list: ({ project, account }: RecordOwner, max: number) =>
    pool.rows<ScheduleRow>(LIST_OF_OWNER, [project, account, max]),

  /** Locks the row between reading and writing. -> whether the schedule existed */
  change: (
    { project, account }: RecordOwner,
    name: string,
    now: Date,
    change: (before: ScheduleRow) => ScheduleValues,
  ) =>
    pool.transaction(async (tx) => {
      const before = await tx.one<ScheduleRow>(FIND_FOR_UPDATE, [project, account, name]);
      if (!before) return false;
      const { data, schedule_at, time_unit, frequency, due_time } = change(before);
      await tx.one(CHANGE, [project, account, name, data, schedule_at, time_unit, frequency, due_time, now]);
      return true;
    }),

  /** -> whether the schedule existed */
  remove: async ({ project, account }: RecordOwner, name: string) =>
    (await pool.one(REMOVE, [project, account, name])) !== undefined,

  /** Removes a schedule for an admin, with the entry for the audit log. -> the removed one; undefined for an unknown one */
  removeReported: ({ project, account }: RecordOwner, name: string, report: ChangeReport, now: Date) =>
    pool.transaction(async (tx) => {
      const removed = await tx.one<ScheduleRow>(REMOVE, [project, account, name]);
      if (removed) await addChangeReport(tx, report, now);
      return removed;
    }),

  /** -> time at which the next schedule is due */
  next: async ({ project, account }: RecordOwner) =>
    (await pool.one<Pick<ScheduleRow, "due_time">>(FIND_NEXT, [project, account]))?.due_time ?? undefined,

  /** -> time at which the next schedule of all served apps is due */
  nextOfAll: async (served: ServedApps) =>
    (await pool.one<Pick<ScheduleRow, "due_time">>(NEXT_OF_ALL, servedValues(served)))?.due_time ?? undefined,

  due: (served: ServedApps, now: Date, max: number) => pool.rows<DueSchedule>(DUE, [...servedValues(served), now, max]),

  /** Whether the schedule is still due as it was read. */
  isUnchanged: async ({ project, account, name, created_time, due_time }: DueSchedule): Promise<boolean> => {
    const present = await pool.one<ScheduleRow>(FIND, [project, account, name]);
    return (
      present?.created_time.getTime() === created_time.getTime() && present.due_time?.getTime() === due_time?.getTime()
    );
  },

  /** Sets the next time of a schedule that has fired. @shape next: null: it does not fire again */
  move: async ({ project, account, name, created_time, due_time }: DueSchedule, next: Date | null): Promise<void> => {
    await pool.one(MOVE, [project, account, name, created_time, due_time, next]);
  },
});
export type ScheduleStore = ReturnType<typeof scheduleStore>;

/** A row of `failed_schedules`: a time at which a schedule was due and its handler failed at every attempt. `data` is JSON text. */
export interface FailureRow {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly due_time: Date;
  readonly tries: number;
  readonly reason: string;
  readonly failed_time: Date;
}

/** Retention of failed schedules. @units milliseconds */
const FAILURE_RETENTION_MS = 30 * 86_400_000;

const FAILURE_COLUMNS = "id, name, data, due_time, tries, reason, failed_time";
// Idempotent: a host that is killed before it records a failure tries again and then records the same failure.
const ADD = statement(
  "add_failed_schedule",
  `INSERT INTO failed_schedules (id, project, account, source, name, data, due_time, tries, reason, failed_time)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (project, source) DO UPDATE
   SET tries = excluded.tries, reason = excluded.reason, failed_time = excluded.failed_time`,
);
const FORGET = statement(
  "forget_failed_schedules",
  `DELETE FROM failed_schedules
   WHERE project = $1 AND account = $2 AND (failed_time < $3 OR id IN (
     SELECT id FROM failed_schedules WHERE project = $1 AND account = $2 ORDER BY failed_time DESC, id DESC OFFSET $4
   ))`,
);
const LIST = statement(
  "list_failed_schedules",
  `SELECT ${FAILURE_COLUMNS} FROM failed_schedules WHERE project = $1 AND account = $2 ORDER BY failed_time, id`,
);
const FIND_FAILURE = statement(
  "find_failed_schedule",
  `SELECT ${FAILURE_COLUMNS} FROM failed_schedules WHERE project = $1 AND account = $2 AND id = $3`,
);
const REMOVE_FAILURE = statement(
  "remove_failed_schedule",
  "DELETE FROM failed_schedules WHERE project = $1 AND account = $2 AND id = $3",
);

/** Rows of the table `failed_schedules`. @assumed They are kept for 30 days, for each app and account the newest `most`. */
export const failureStore = (db: Db, max: number) => ({
  /** @shape source: identical for all attempts and hosts */
  add: async ({ project, account }: RecordOwner, source: string, row: FailureRow): Promise<void> => {
    const { id, name, data, due_time, tries, reason, failed_time } = row;
    await db.rows(ADD, [id, project, account, source, name, data, due_time, tries, reason, failed_time]);
    await db.rows(FORGET, [project, account, new Date(failed_time.getTime() - FAILURE_RETENTION_MS), max]);
  },
  /** Newest last. */
  list: ({ project, account }: RecordOwner) => db.rows<FailureRow>(LIST, [project, account]),
  find: ({ project, account }: RecordOwner, id: string) => db.one<FailureRow>(FIND_FAILURE, [project, account, id]),
  remove: async ({ project, account }: RecordOwner, id: string): Promise<void> => {
    await db.rows(REMOVE_FAILURE, [project, account, id]);
  },
});
export type FailureStore = ReturnType<typeof failureStore>;
