import type { Role } from "@parley/contract";
import type { Db } from "@parley/database";
import { readPage, sortedPages, type SortOrder } from "../db/page.ts";
import type { Page } from "../http/pagination.ts";

const ROLES = sortedPages("roles_page", {
  sorts: { name: "lower(name)" },
  matching: `select id, name, body from roles where account_id = $3`,
});

/** Rows of the table `roles`. */
export const roleStore = (db: Db) => ({
  list: (accountId: number, page: Page, { by, order }: { readonly by: "name"; readonly order: SortOrder }) =>
    readPage<Role>(db, ROLES(by, order), page, [accountId]),
});
export type RoleStore = ReturnType<typeof roleStore>;
