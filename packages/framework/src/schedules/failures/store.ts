import { statement, type Db } from "@parley/database";
import type { Owner } from "../../runtime/records/store.ts";

/** A row of `failed_schedules`: a time at which a schedule was due and its handler failed at every try. `data` is JSON text. */
export interface FailureRow {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly due_time: Date;
  readonly tries: number;
  readonly reason: string;
  readonly failed_time: Date;
}

/** How long one is kept. @units milliseconds */
const KEPT = 30 * 86_400_000;

const COLUMNS = "id, name, data, due_time, tries, reason, failed_time";
// A host that is killed before it notes that it gave up tries again, and gives up the same.
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
  `SELECT ${COLUMNS} FROM failed_schedules WHERE project = $1 AND account = $2 ORDER BY failed_time, id`,
);
const FIND = statement(
  "find_failed_schedule",
  `SELECT ${COLUMNS} FROM failed_schedules WHERE project = $1 AND account = $2 AND id = $3`,
);
const REMOVE = statement(
  "remove_failed_schedule",
  "DELETE FROM failed_schedules WHERE project = $1 AND account = $2 AND id = $3",
);

/** Rows of the table `failed_schedules`. @assumed They are kept for 30 days, of an app and account the newest `most`. */
export const failureStore = (db: Db, most: number) => ({
  /** @shape source: the same over all tries and hosts */
  add: async ({ project, account }: Owner, source: string, row: FailureRow): Promise<void> => {
    const { id, name, data, due_time, tries, reason, failed_time } = row;
    await db.rows(ADD, [id, project, account, source, name, data, due_time, tries, reason, failed_time]);
    await db.rows(FORGET, [project, account, new Date(failed_time.getTime() - KEPT), most]);
  },
  /** Newest last. */
  list: ({ project, account }: Owner) => db.rows<FailureRow>(LIST, [project, account]),
  find: ({ project, account }: Owner, id: string) => db.one<FailureRow>(FIND, [project, account, id]),
  remove: async ({ project, account }: Owner, id: string): Promise<void> => {
    await db.rows(REMOVE, [project, account, id]);
  },
});
export type FailureStore = ReturnType<typeof failureStore>;
