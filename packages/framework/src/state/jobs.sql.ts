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
  `INSERT INTO jobs (id, project, account, name, tag, status, message, start_time)
   VALUES ($1, $2, $3, $4, $5, 'in-progress', '', $6) RETURNING ${COLUMNS}`,
);
/** Serializes the creation of jobs of an account, so that the limit holds. */
const LOCK = statement("lock_jobs", "SELECT pg_advisory_xact_lock(hashtext('parley.jobs'), hashtext($1 || '/' || $2))");
const FIND = statement("find_job", `SELECT ${COLUMNS} FROM jobs WHERE project = $1 AND account = $2 AND id = $3`);
/** A finished job keeps its last message. */
const REPORT = statement("report_job", "UPDATE jobs SET message = $2 WHERE id = $1 AND end_time IS NULL RETURNING id");
const END = statement(
  "end_job",
  `UPDATE jobs SET status = $2, message = coalesce($3, message), end_time = $4 WHERE id = $1 AND end_time IS NULL`,
);
const COUNT = statement(
  "count_jobs",
  "SELECT count(*)::int AS count FROM jobs WHERE project = $1 AND account = $2 AND end_time IS NULL AND start_time > $3",
);
const DELETE_OLD = statement("trim_jobs", "DELETE FROM jobs WHERE project = $1 AND start_time < $2");

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
  /** @shape message: undefined keeps the last one */
  end: async (id: string, status: JobStatus, message: string | undefined, now: Date) => {
    await db.rows(END, [id, status, message ?? null, now]);
  },
  trim: async (project: string, before: Date) => {
    await db.rows(DELETE_OLD, [project, before]);
  },
});
export type JobStore = ReturnType<typeof jobStore>;
