import { statement, type Db } from "@parley/database";
import type { StoredAccountRow } from "../../../messaging/accounts/store.ts";
import type { AccountSettings } from "./sections/state.ts";

const LOCK = statement("hold_account", `select pg_advisory_xact_lock(hashtext('parley.account'), hashtext($1))`);
const LOCK_SHARED = statement(
  "watch_account",
  `select pg_advisory_xact_lock_shared(hashtext('parley.account'), hashtext($1))`,
);
const NEXT_ID = statement("next_account_id", `select nextval(pg_get_serial_sequence('accounts', 'id'))::integer as id`);
const INSERT = statement(
  "insert_account",
  `insert into accounts (id, name, configuration, plan_type, primary_locale, calls_per_hour, automatic_assignment)
   values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing
   returning id`,
);
const UPDATE = statement(
  "update_account",
  `update accounts
      set configuration = $2, plan_type = $3, primary_locale = $4, calls_per_hour = $5, automatic_assignment = $6
    where id = $1`,
);
const BY_NAME = statement(
  "setup_account",
  `select id, name, configuration, primary_locale, calls_per_hour, automatic_assignment, closed_time, deletion_time
     from accounts
    where name = $1`,
);

/** Values of the columns after the name. */
const columnsOf = ({ configuration, primary_locale, calls_per_hour, automatic_assignment }: AccountSettings) => [
  JSON.stringify(configuration),
  configuration.plan_type,
  primary_locale,
  calls_per_hour,
  automatic_assignment,
];

/** Rows of the table `accounts`. */
export const setupStore = (tx: Db) => ({
  /** Takes an exclusive lock on the account name until the end of the transaction, whether the account exists or not. */
  lock: (name: string) => tx.rows(LOCK, [name]),
  /** Takes a shared lock on the account name until the end of the transaction. It conflicts with `lock`. */
  lockShared: (name: string) => tx.rows(LOCK_SHARED, [name]),
  nextId: async (): Promise<number> => (await tx.one<{ id: number }>(NEXT_ID, []))?.id ?? 0,
  byName: (name: string) => tx.one<StoredAccountRow>(BY_NAME, [name]),
  /** -> false: an account with this id or name exists. */
  insert: async (id: number, settings: AccountSettings): Promise<boolean> =>
    (await tx.one(INSERT, [id, settings.name, ...columnsOf(settings)])) !== undefined,
  update: (id: number, settings: AccountSettings) => tx.rows(UPDATE, [id, ...columnsOf(settings)]),
});
