import type { InboxFilter, InboxOrder, NewSavedView } from "@parley/contract";
import type { InboxSearch } from "./inbox-search.ts";

const DEFAULT_ORDER: InboxOrder = "newest_activity";

/** -> the filter of an address, without its order and saved view */
export const filterOf = ({ order: _order, view: _view, ...filter }: InboxSearch): InboxFilter => filter;

export const orderOf = ({ order = DEFAULT_ORDER }: InboxSearch): InboxOrder => order;

/** -> the address of a view @shape view: id of the saved view that the filter comes from */
export const searchOf = (filter: InboxFilter, order: InboxOrder, view?: string): InboxSearch => ({
  ...filter,
  ...(order !== DEFAULT_ORDER && { order }),
  ...(view !== undefined && { view }),
});

const entriesOf = (filter: InboxFilter): (readonly [string, unknown])[] =>
  Object.entries(filter)
    .filter(([name, value]) => value !== undefined && !(name === "status" && value === "open"))
    .sort(([one], [other]) => one.localeCompare(other));

/** Whether two filters describe the same conversations. */
export const isSameFilter = (one: InboxFilter, other: InboxFilter): boolean =>
  JSON.stringify(entriesOf(one)) === JSON.stringify(entriesOf(other));

/** Number of members that a filter adds to another filter; undefined if it does not contain the other filter. */
export const membersBeside = (filter: InboxFilter, part: InboxFilter): number | undefined => {
  const all = new Map(entriesOf(filter));
  const contained = entriesOf(part);
  return contained.every(([name, value]) => all.get(name) === value) ? all.size - contained.length : undefined;
};

/** Whether an address still shows what the saved view contains. */
export const isSameView = (search: InboxSearch, { filter, order }: Pick<NewSavedView, "filter" | "order">): boolean =>
  isSameFilter(filterOf(search), filter) && orderOf(search) === order;
