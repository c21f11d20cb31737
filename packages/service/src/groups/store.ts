import type { Group } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { readPage, sortedPages, sortKey, type SortOrder } from "../db/page.ts";
import { withoutNulls } from "../db/row.ts";
import type { Page } from "../http/pagination.ts";

const GROUPS = sortedPages("groups_page", {
  sorts: { name: sortKey("name") },
  matching: `select id, name, body from groups where account_id = $3`,
});
const GROUP_FACTS = statement("group_facts", `select id, name, org_id from groups where account_id = $1`);

/** What rules need to know of a group. */
export interface GroupFacts {
  readonly id: string;
  readonly name: string;
  /** In the suite's master record. */
  readonly org_id?: string;
}

/** Rows of the table `groups`. */
export const groupStore = (db: Db) => ({
  list: (accountId: number, page: Page, { by, order }: { readonly by: "name"; readonly order: SortOrder }) =>
    readPage<Group>(db, GROUPS(by, order), page, [accountId]),
  facts: async (accountId: number) => (await db.rows<GroupFacts>(GROUP_FACTS, [accountId])).map(withoutNulls),
});
export type GroupStore = ReturnType<typeof groupStore>;
