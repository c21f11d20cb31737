import type { Db } from "@parley/database";
import { filteredPage } from "./filtered.ts";
import { createdRangeOf, type UserFilters } from "./filters.ts";
import { rankedPage } from "./ranked.ts";

export const USER_SORTS = ["created_time", "updated_time", "first_name", "last_name", "email"] as const;

/** What is looked for, and which part of it. */
export interface UserSelection {
  readonly filters: UserFilters;
  readonly sort_by: (typeof USER_SORTS)[number];
  readonly sort_order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/** `items`: the bodies, apart by commas. */
export interface UserPage {
  readonly total: number;
  readonly items: string;
}

/**
 * A page of users and how many there are in all, of one moment. Ties are ordered by `sequence`, so that pages neither repeat nor
 * leave out anybody.
 * @shape keyed: connections whose plans look rows up by key
 */
export const listUsers = (
  { keyed, pool }: { readonly keyed: Db; readonly pool: Db },
  accountId: number,
  selection: UserSelection,
): Promise<UserPage> => {
  const range = selection.sort_by === "created_time" ? createdRangeOf(selection.filters) : undefined;
  return range ? rankedPage(keyed, accountId, range, selection) : filteredPage(pool, accountId, selection);
};
