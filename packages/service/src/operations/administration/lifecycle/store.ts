import { statement, type Db } from "@parley/database";

/** An account and how far its end has come. */
export interface LifecycleRow {
  readonly id: number;
  readonly name: string;
  /** null: the account is open. */
  readonly closed_time: Date | null;
  readonly deletion_time: Date | null;
  /** Set when the deletion has started: the account can't be reopened. */
  readonly deletion_started_time: Date | null;
}

const COLUMNS = "id, name, closed_time, deletion_time, deletion_started_time";
const BY_NAME = statement("lock_account_by_name", `select ${COLUMNS} from accounts where name = $1 for no key update`);
const CLOSE = statement(
  "close_account",
  `update accounts set closed_time = coalesce(closed_time, $2), deletion_time = $3 where id = $1 returning ${COLUMNS}`,
);
const REOPEN = statement(
  "reopen_account",
  `update accounts set closed_time = null, deletion_time = null
    where id = $1 and deletion_started_time is null
   returning ${COLUMNS}`,
);
const DUE = statement(
  "accounts_to_delete",
  `select id, name from accounts where deletion_time <= $1 or deletion_started_time is not null order by deletion_time, id`,
);
const CLOSED = statement("closed_accounts", "select name from accounts where closed_time is not null order by id");
const START = statement(
  "start_account_deletion",
  `update accounts set deletion_started_time = $2
    where id = $1 and deletion_started_time is null and deletion_time <= $2`,
);
const IS_STARTED = statement(
  "is_account_deletion_started",
  `select id from accounts where id = $1 and deletion_started_time is not null`,
);
const LOCK = statement("lock_account_row", `select id from accounts where id = $1 for update`);
const REMOVE = statement("remove_account", `delete from accounts where id = $1`);

/** The end of accounts in the table `accounts`. */
export const lifecycleStore = (tx: Db) => ({
  /** Locks the row until the end of the transaction; rows of other tables may still refer to it. */
  byName: (name: string) => tx.one<LifecycleRow>(BY_NAME, [name]),
  /** An account that is closed keeps the time of its close. */
  close: (id: number, now: Date, deletion: Date) => tx.one<LifecycleRow>(CLOSE, [id, now, deletion]),
  /** -> undefined if the deletion has started */
  reopen: (id: number) => tx.one<LifecycleRow>(REOPEN, [id]),
  closed: () => tx.rows<Pick<LifecycleRow, "name">>(CLOSED, []),
  /** Accounts whose deletion is due or has started. */
  due: (now: Date) => tx.rows<Pick<LifecycleRow, "id" | "name">>(DUE, [now]),
  /** Starts the deletion if it is due. -> whether it has started, now or before */
  start: async (id: number, now: Date): Promise<boolean> => {
    await tx.rows(START, [id, now]);
    return (await tx.one(IS_STARTED, [id])) !== undefined;
  },
  /** Waits for the transactions that insert rows with a foreign key to the account, and blocks further such transactions. */
  lockRow: async (id: number): Promise<boolean> => (await tx.one(LOCK, [id])) !== undefined,
  remove: (id: number) => tx.rows(REMOVE, [id]),
});
