import { statement, type Db } from "@parley/database";
import type { Page } from "../http/pagination.ts";
import type { AccountRow } from "./account.ts";

const COLUMNS = "id, name, configuration, primary_locale, calls_per_hour";
const ACCOUNT_BY_NAME = statement("account_by_name", `select ${COLUMNS} from accounts where name = $1`);
const ACCOUNTS_BY_NAME = {
  asc: statement("accounts_asc", `select ${COLUMNS} from accounts order by name limit $1 offset $2`),
  desc: statement("accounts_desc", `select ${COLUMNS} from accounts order by name desc limit $1 offset $2`),
};
const COUNT_ACCOUNTS = statement("count_accounts", `select count(*)::integer as total from accounts`);
const ACCOUNTS_WITH_CALLS = statement(
  "accounts_with_calls",
  `select a.id, a.name, a.configuration, a.primary_locale, a.calls_per_hour, coalesce(u.used, 0) as used
     from accounts a
     left join allowances u on u.account_id = a.id and u.window_start = $1
    order by a.name`,
);

/** Rows of the table `accounts`. */
export const accountStore = (db: Db) => ({
  /** A name with NUL, which the database takes in no text, is nobody's. */
  byName: async (name: string): Promise<AccountRow | undefined> =>
    name.includes("\0") ? undefined : db.one<AccountRow>(ACCOUNT_BY_NAME, [name]),
  list: async (
    { itemsPerPage, offset }: Page,
    order: "asc" | "desc",
  ): Promise<{ total: number; items: AccountRow[] }> => {
    const [counted, items] = await Promise.all([
      db.one<{ total: number }>(COUNT_ACCOUNTS, []),
      db.rows<AccountRow>(ACCOUNTS_BY_NAME[order], [itemsPerPage, offset]),
    ]);
    return { total: counted?.total ?? 0, items };
  },
  /** With the calls that the processes have taken of the hour that begins at `window`. */
  withCalls: (window: Date) => db.rows<AccountRow & { used: number }>(ACCOUNTS_WITH_CALLS, [window]),
});
export type AccountStore = ReturnType<typeof accountStore>;
