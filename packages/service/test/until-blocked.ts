import { statement, type Db } from "@parley/database";
import { waitUntil } from "../../../test/support/wait-until.ts";

const BLOCKED = statement(
  "",
  `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
);

// In a transaction the activity is read once.
const CLEAR = statement("", "select pg_stat_clear_snapshot()");

/** Waits until this number of connections wait for locks. `db` may be the transaction that holds them. */
export const untilBlocked = (db: Db, count = 1): Promise<unknown> =>
  waitUntil(async () => {
    await db.rows(CLEAR, []);
    return ((await db.one<{ count: number }>(BLOCKED, []))?.count ?? 0) >= count;
  });
