import type { Db } from "@parley/database";
import { filteredPage } from "./filtered.ts";
import { createdRangeOf } from "./filters.ts";
import { rankedPage } from "./ranked.ts";
import type { UserPage, UserSelection } from "./selection.ts";

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
