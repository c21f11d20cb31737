import { statement, type Connection, type Db, type Pool } from "@parley/database";
import { CLAIM_TIMEOUT_MS } from "./jobs.ts";

/** Schema of the library's tables. */
export const QUEUE_SCHEMA = "parley_jobs";
/** The only task that the library knows. The task and the payload of a job are in its due_work row. */
export const QUEUE_TASK = "due_work";

/** A claimed job. */
interface ClaimedJob {
  readonly task: string;
  readonly payload: string;
  /** Including this attempt. */
  readonly tries: number;
}

/** First key of the advisory locks that show which processes are alive. */
const PROCESS_LOCK_CLASS = "hashtext('parley.jobs')";

const REQUEST = statement("due_work_ask", "insert into due_work (id, task, payload, due_time) values ($1, $2, $3, $4)");
// The lock excludes that two processes request the same job.
const LOCK_TASK = statement("due_work_lock_task", "select pg_advisory_xact_lock(hashtext('parley.jobs ' || $1))");
const ENSURE = statement(
  "due_work_ensure",
  `insert into due_work (id, task, payload, due_time)
   select $1, $2, $3, $4
    where not exists (select from due_work where task = $2 and ($5::timestamptz is null or due_time > $5))`,
);
const HAS_DUE_WORK = statement(
  "due_work_is_any",
  `select 1
    where exists (select from due_work where queued)
       or exists (select from due_work where not queued and due_time <= $1)`,
);
// Concurrent processes take different rows (skip locked). The queue's row is inserted in the same statement.
const ENQUEUE_DUE = statement(
  "due_work_move",
  `with due as (
     select id from due_work
      where not queued and due_time <= $1
      order by due_time
      limit 64
        for update skip locked),
   moved as (
     update due_work set queued = true
       from due where due_work.id = due.id
     returning due_work.id)
   select count(${QUEUE_SCHEMA}.add_job('${QUEUE_TASK}', json_build_object('id', id), job_key := id::text, max_attempts := 1))
          as count
     from moved`,
);
const CLAIM = statement(
  "due_work_claim",
  `update due_work set holder = $2, tries = tries + 1
    where id = $1 and queued and holder is null
   returning task, payload, tries`,
);
const DONE = statement("due_work_done", "delete from due_work where id = $1 and holder = $2");
const RESCHEDULE = statement(
  "due_work_again",
  "update due_work set queued = false, holder = null, due_time = $3 where id = $1 and holder = $2",
);
const RELEASE = statement(
  "due_work_give_back",
  "update due_work set queued = false, holder = null, tries = tries - 1 where id = $1 and holder = $2",
);
// Releases jobs that are held by an ended process, held by this process without its knowledge, or unclaimed and no longer offered by the
// queue. The statement takes the ids that this process has lost. With the ids of its running jobs instead, a job claimed after
// the list was made would be released by mistake.
const RECOVER = statement(
  "due_work_recover",
  `update due_work work set queued = false, holder = null
    where queued
      and case
            when holder = $1 then id = any($2::uuid[])
            when holder is not null then not exists (
              select from pg_locks
               where locktype = 'advisory' and classid = ${PROCESS_LOCK_CLASS}::oid and objid = (work.holder % 2147483647)::oid
                 and database = (select oid from pg_database where datname = current_database()))
            else not exists (
              select from ${QUEUE_SCHEMA}.jobs
               where key = work.id::text
                 and (locked_at > now() - ${CLAIM_TIMEOUT_MS} * interval '1 millisecond'
                      or (locked_at is null and attempts < max_attempts)))
          end`,
);
const NEXT_PROCESS = statement("", "select nextval('job_processes') as number");
const LOCK_PROCESS = statement(
  "",
  `select pg_advisory_lock(${PROCESS_LOCK_CLASS}, ($1::bigint % 2147483647)::integer)`,
);

/** Creates this table in advance. Without it the library requires the right to create schemas even if its schema exists. */
export const PREPARATION = `create table if not exists ${QUEUE_SCHEMA}.migrations (
  id int primary key,
  ts timestamptz default now() not null,
  breaking boolean not null default false
)`;
/** Inserts a job to be run at its due time. */
export const requestJob = (db: Db, id: string, task: string, payload: unknown, due: Date): Promise<unknown> =>
  db.rows(REQUEST, [id, task, JSON.stringify(payload ?? null), due]);

/** Inserts a job unless there is a job of the task. @shape after: only jobs that are due later count */
export const ensureJob = (
  pool: Pool,
  {
    id,
    task,
    payload,
    due,
    after,
  }: {
    readonly id: string;
    readonly task: string;
    readonly payload: unknown;
    readonly due: Date;
    readonly after?: Date | undefined;
  },
): Promise<unknown> =>
  pool.transaction(async (tx) => {
    await tx.one(LOCK_TASK, [task]);
    await tx.rows(ENSURE, [id, task, JSON.stringify(payload ?? null), due, after ?? null]);
  });

/** Takes a number for this process. It counts as alive as long as the connection exists. */
export async function registerProcess(connection: Connection): Promise<number> {
  const row = await connection.one<{ number: number }>(NEXT_PROCESS, []);
  const number = row?.number ?? 0;
  await connection.rows(LOCK_PROCESS, [number]);
  return number;
}

/** Rows of the table `due_work`. */
export const workStore = (pool: Pool) => ({
  /** Whether a job is queued or due, without access to the queue's tables. */
  hasWork: async (now: Date): Promise<boolean> => (await pool.one(HAS_DUE_WORK, [now])) !== undefined,
  /** Moves due jobs to the queue. */
  enqueueDue: (now: Date) => pool.rows(ENQUEUE_DUE, [now]),
  /** -> undefined if another process holds the job */
  claim: (id: string, holder: number) => pool.one<ClaimedJob>(CLAIM, [id, holder]),
  done: (id: string, holder: number) => pool.rows(DONE, [id, holder]),
  reschedule: (id: string, holder: number, due: Date) => pool.rows(RESCHEDULE, [id, holder, due]),
  giveBack: (id: string, holder: number) => pool.rows(RELEASE, [id, holder]),
  /** Releases jobs that are claimed or queued but not running. */
  recover: (holder: number, lost: readonly string[]) => pool.rows(RECOVER, [holder, lost]),
});
export type WorkStore = ReturnType<typeof workStore>;
