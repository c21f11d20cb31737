import type { AccountConfiguration, AccountSummary } from "@parley/contract";
import type { CallerAccount } from "../../http/route-handlers.ts";
import { statement, type Db } from "@parley/database";
import type { Page } from "../../base/db/page.ts";

export interface AccountRow {
  readonly id: number;
  readonly name: string;
  readonly configuration: string;
  readonly primary_locale: string;
  readonly calls_per_hour: number | null;
}

/** A row with all settings of the account. */
export interface AccountSettingsRow extends AccountRow {
  readonly automatic_assignment: boolean;
}

/** A row with the times of a closed account; null while it is open. */
export interface StoredAccountRow extends AccountSettingsRow {
  readonly closed_time: Date | null;
  readonly deletion_time: Date | null;
}

/** Converts a row to the account of a caller. */
export const accountOfRow = ({
  id,
  name,
  configuration,
  primary_locale,
  calls_per_hour,
}: AccountRow): CallerAccount => {
  const parsed = JSON.parse(configuration) as AccountConfiguration;
  return { id, name, configuration: parsed, plan_type: parsed.plan_type, primary_locale, calls_per_hour };
};

/** The times of a closed account. */
export const closedTimesOf = ({
  closed_time,
  deletion_time,
}: Pick<StoredAccountRow, "closed_time" | "deletion_time">): Pick<AccountSummary, "closed_time" | "deletion_time"> => ({
  ...(closed_time && { closed_time: closed_time.toISOString() }),
  ...(deletion_time && { deletion_time: deletion_time.toISOString() }),
});

const COLUMNS =
  "id, name, configuration, primary_locale, calls_per_hour, automatic_assignment, closed_time, deletion_time";
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
    where $2::text is null or a.name = $2
    order by a.name`,
);

/** Statements on the table `accounts`. */
export const accountStore = (db: Db) => ({
  /** A name with NUL is unknown; the database rejects NUL in texts. */
  byName: async (name: string): Promise<StoredAccountRow | undefined> =>
    name.includes("\0") ? undefined : db.one<StoredAccountRow>(ACCOUNT_BY_NAME, [name]),
  list: async (
    { itemsPerPage, offset }: Page,
    order: "asc" | "desc",
  ): Promise<{ total: number; items: StoredAccountRow[] }> => {
    const [counted, items] = await Promise.all([
      db.one<{ total: number }>(COUNT_ACCOUNTS, []),
      db.rows<StoredAccountRow>(ACCOUNTS_BY_NAME[order], [itemsPerPage, offset]),
    ]);
    return { total: counted?.total ?? 0, items };
  },
  /** Includes the calls used in the hour that begins at `window`. @shape name: absent: of all accounts */
  withCalls: (window: Date, name?: string) =>
    db.rows<AccountRow & { used: number }>(ACCOUNTS_WITH_CALLS, [window, name ?? null]),
});
export type AccountStore = ReturnType<typeof accountStore>;
