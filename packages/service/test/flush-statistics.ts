import { statement, type Db } from "@parley/database";
import { waitUntil } from "../../../test/support/wait-until.ts";

const END_OTHERS = statement(
  "",
  `select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and pid = any($1::integer[])`,
);
const OTHERS = statement(
  "",
  `select coalesce(array_agg(pid), '{}') as pids from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
);
const OWN = statement("", "select pg_stat_force_next_flush()");

/**
 * Makes the statistics of tables complete, which connections report once in a second or at their end: ends the other connections of the
 * database, which the service opens anew.
 */
export async function flushStatistics(db: Db): Promise<void> {
  const pids = (await db.one<{ pids: number[] }>(OTHERS, []))?.pids ?? [];
  await waitUntil(async () => ((await db.one<{ count: number }>(END_OTHERS, [pids]))?.count ?? 0) === 0);
  await db.rows(OWN, []);
}
