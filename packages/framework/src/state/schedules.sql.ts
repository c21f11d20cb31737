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
const BY_NAME = "project = $1 and account = $2 and name = $3";

/** Replaces a schedule of the same name that has fired for the last time. */
const CREATE = statement(
  "create_schedule",
  `insert into schedules (project, account, name, data, schedule_at, time_unit, frequency, due_time, created_time, updated_time)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   on conflict (project, account, name) do update
   set data = excluded.data, schedule_at = excluded.schedule_at, time_unit = excluded.time_unit,
       frequency = excluded.frequency, due_time = excluded.due_time, created_time = excluded.created_time,
       updated_time = excluded.updated_time
     where schedules.due_time is null
   returning name`,
);
const FIND = statement("find_schedule", `select ${COLUMNS} from schedules where ${BY_NAME}`);
const LIST_OF_OWNER = statement(
  "list_schedules",
  `select ${COLUMNS} from schedules where project = $1 and account = $2 order by due_time nulls last, name limit $3`,
);
const FIND_FOR_UPDATE = statement(
  "find_schedule_for_update",
  `select ${COLUMNS} from schedules where ${BY_NAME} for update`,
);
const CHANGE = statement(
  "change_schedule",
  `update schedules
   set data = $4, schedule_at = $5, time_unit = $6, frequency = $7, due_time = $8, updated_time = $9
   where ${BY_NAME}`,
);
const REMOVE = statement("remove_schedule", `delete from schedules where ${BY_NAME} returning ${COLUMNS}`);
const FIND_NEXT = statement(
  "next_schedule",
  "select min(due_time) as due_time from schedules where project = $1 and account = $2",
);
const COUNT_DUE = statement(
  "count_due_schedules",
  "select count(*)::integer as count from schedules where due_time <= $1",
);
/** Schedules of active installations that no other living process holds, of accounts that are not closed. */
const FIREABLE = `
  from schedules
  join installations using (project, account)
  left join installation_leases on installation_leases.installation_id = installations.id and process_id <> $1
  left join platform_processes
    on platform_processes.id = process_id and platform_processes.expires_time > clock_timestamp()
  where schedules.due_time is not null and installations.state = 'active' and platform_processes.id is null
    and not exists (select from closed_accounts where closed_accounts.account = installations.account)
    and ((app_version is not null and $2)
      or (app_version is null and (project, account) in (select * from unnest($3::text[], $4::text[]))))`;
const NEXT_OF_ALL = statement("next_schedule_of_all", `select min(schedules.due_time) as due_time ${FIREABLE}`);
const DUE = statement(
  "due_schedules",
  `select project, account, schedules.name, schedules.data, schedule_at, time_unit, frequency, schedules.due_time,
          schedules.created_time
   ${FIREABLE} and schedules.due_time <= $5 order by schedules.due_time, schedules.name limit $6`,
);
/** Has no effect if the handler or another process has changed the schedule in the meantime. */
const MOVE = statement(
  "move_schedule",
  `update schedules set due_time = $6 where ${BY_NAME} and created_time = $4 and due_time = $5`,
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

  /** Removes a schedule for an admin, with the entry for the audit log. -> the removed schedule; undefined for an unknown schedule */
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
  `insert into failed_schedules (id, project, account, source, name, data, due_time, tries, reason, failed_time)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (project, source) do update
   set tries = excluded.tries, reason = excluded.reason, failed_time = excluded.failed_time`,
);
const FORGET = statement(
  "forget_failed_schedules",
  `delete from failed_schedules
   where project = $1 and account = $2 and (failed_time < $3 or id in (
     select id from failed_schedules where project = $1 and account = $2 order by failed_time desc, id desc offset $4
   ))`,
);
const LIST = statement(
  "list_failed_schedules",
  `select ${FAILURE_COLUMNS} from failed_schedules where project = $1 and account = $2 order by failed_time, id`,
);
const FIND_FAILURE = statement(
  "find_failed_schedule",
  `select ${FAILURE_COLUMNS} from failed_schedules where project = $1 and account = $2 and id = $3`,
);
const REMOVE_FAILURE = statement(
  "remove_failed_schedule",
  "delete from failed_schedules where project = $1 and account = $2 and id = $3",
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
