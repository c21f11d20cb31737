import type { Role } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { readPage, sortedPages, sortKey, type SortOrder } from "../db/page.ts";
import type { Page } from "../http/pagination.ts";

const ROLES = sortedPages("roles_page", {
  sorts: { name: sortKey("name") },
  matching: `select id, name, body from roles where account_id = $3`,
});

const ROLE_NAMES = statement("role_names", `select id, name from roles where account_id = $1 order by id`);

/** Rows of the table `roles`. */
export const roleStore = (db: Db) => ({
  list: (accountId: number, page: Page, { by, order }: { readonly by: "name"; readonly order: SortOrder }) =>
    readPage<Role>(db, ROLES(by, order), page, [accountId]),
  names: (accountId: number) => db.rows<Pick<Role, "id" | "name">>(ROLE_NAMES, [accountId]),
});
export type RoleStore = ReturnType<typeof roleStore>;
