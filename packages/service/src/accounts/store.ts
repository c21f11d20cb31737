import { statement, type Db } from "@parley/database";
import type { AccountRow } from "./account.ts";

const ACCOUNT_BY_NAME = statement(
  "account_by_name",
  `select id, name, configuration, primary_locale, calls_per_hour from accounts where name = $1`,
);

/** Rows of the table `accounts`. */
export const accountStore = (db: Db) => ({
  byName: (name: string) => db.one<AccountRow>(ACCOUNT_BY_NAME, [name]),
});
export type AccountStore = ReturnType<typeof accountStore>;
