import type { JobStatus } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly status: JobStatus;
  readonly message: string;
  readonly start_time: Date;
  readonly end_time: Date | null;
}

const COLUMNS = "id, name, tag, status, message, start_time, end_time";

const ADD = statement(
  "add_job",
  `insert into jobs (id, project, account, name, tag, status, message, start_time)
   values ($1, $2, $3, $4, $5, 'in-progress', '', $6) returning ${COLUMNS}`,
);
/** Serializes the creation of jobs of an account, so that the limit holds. */
const LOCK = statement("lock_jobs", "select pg_advisory_xact_lock(hashtext('parley.jobs'), hashtext($1 || '/' || $2))");
const FIND = statement("find_job", `select ${COLUMNS} from jobs where project = $1 and account = $2 and id = $3`);
/** A finished job keeps its last message. */
const REPORT = statement("report_job", "update jobs set message = $2 where id = $1 and end_time is null returning id");
const END = statement(
  "end_job",
  `update jobs set status = $2, message = coalesce($3, message), end_time = $4 where id = $1 and end_time is null`,
);
const COUNT = statement(
  "count_jobs",
  "select count(*)::int as count from jobs where project = $1 and account = $2 and end_time is null and start_time > $3",
);
const DELETE_OLD = statement("trim_jobs", "delete from jobs where project = $1 and start_time < $2");

/** Rows of the table `jobs`. */
export const jobStore = (db: Pool) => ({
  /** -> undefined if `most` jobs that began after `since` are still running */
  add: (
    { project, account }: RecordOwner,
    job: Pick<JobRow, "id" | "name" | "tag" | "start_time">,
    bound: { readonly since: Date; readonly max: number },
  ) =>
    db.transaction(async (tx) => {
      await tx.one(LOCK, [project, account]);
      const working = await tx.one<{ count: number }>(COUNT, [project, account, bound.since]);
      if ((working?.count ?? 0) >= bound.max) return undefined;
      return tx.one<JobRow>(ADD, [job.id, project, account, job.name, job.tag, job.start_time]);
    }),
  find: ({ project, account }: RecordOwner, id: string) => db.one<JobRow>(FIND, [project, account, id]),
  report: async (id: string, message: string) => {
    await db.one(REPORT, [id, message]);
  },
  /** @shape message: undefined keeps the last message */
  end: async (id: string, status: JobStatus, message: string | undefined, now: Date) => {
    await db.rows(END, [id, status, message ?? null, now]);
  },
  trim: async (project: string, before: Date) => {
    await db.rows(DELETE_OLD, [project, before]);
  },
});
export type JobStore = ReturnType<typeof jobStore>;
