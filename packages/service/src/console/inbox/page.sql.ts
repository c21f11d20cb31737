import type { InboxOrder } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { branchesOf, type InboxBranch } from "./branches.sql.ts";
import {
  createParameters,
  joinReadMark,
  needsEntries,
  otherConditions,
  segmentCondition,
  segmentsCondition,
  type SqlParameters,
} from "./conditions.sql.ts";
import { INBOX_SORTS, type InboxPosition, SORT_COLUMN_TYPES } from "./cursor.ts";
import { inboxItemsOf, type InboxItemRow } from "./items.sql.ts";
import type { InboxView } from "./view.ts";

/** The agent and the filters of a list. */
interface InboxQuery {
  readonly accountId: number;
  readonly agentId: string;
  readonly view: InboxView;
}

interface PageQuery extends InboxQuery {
  readonly order: InboxOrder;
  /** The page begins after this position; at the beginning of the list when absent. */
  readonly after: InboxPosition | undefined;
  readonly limit: number;
}

/** Condition of the entries `e` that come after a position. */
const afterConditions = (order: InboxOrder, after: InboxPosition | undefined, { add }: SqlParameters): string[] => {
  if (!after) return [];
  const { columns, direction } = INBOX_SORTS[order];
  const values = columns.map((column, index) => {
    const type = SORT_COLUMN_TYPES[column];
    const value = after[index] ?? 0;
    return add(type === "timestamptz" ? new Date(value).toISOString() : value, type);
  });
  const names = columns.map((column) => `e.${column}`);
  return [`(${names.join(", ")}) ${direction === "asc" ? ">" : "<"} (${values.join(", ")})`];
};

/** SQL of the agent, where a view depends on it: a parameter that a statement does not use is invalid. */
const agentOf = ({ unread }: InboxView, agentId: string, { add }: SqlParameters): string =>
  unread === undefined ? "null" : add(agentId, "uuid");

/** SQL of the first conversations of a view. */
const pageText = (
  { accountId, agentId, view, order, after, limit }: PageQuery,
  branches: readonly InboxBranch[],
  parameters: SqlParameters,
): string => {
  const { add } = parameters;
  const { columns, direction } = INBOX_SORTS[order];
  const sorting = (source: string) => columns.map((column) => `${source}.${column} ${direction}`).join(", ");
  const [account, size] = [add(accountId, "integer"), add(limit, "integer")];
  const agent = agentOf(view, agentId, parameters);
  const others = otherConditions(view, { account, agent }, parameters);
  const beyond = ["true", ...afterConditions(order, after, parameters)].join(" and ");
  const marks = view.unread === undefined ? "" : joinReadMark(agent);
  const parts = branches.map(({ status, segment, read }) => {
    const state = `e.account_id = ${account} and e.status = ${add(status, "text")}`;
    const where = [state, segmentCondition(segment, parameters), ...others].join(" and ");
    const matching = `select e.* from inbox_entries e ${marks} where ${where}`;
    // With the offset, the planner considers neither the order nor the position, and so no index of the order.
    return read === "order"
      ? `(${matching} and ${beyond} order by ${sorting("e")} limit ${size})`
      : `(select * from (${matching} offset 0) e where ${beyond} order by ${sorting("e")} limit ${size})`;
  });
  return `select * from (${parts.join(" union all ")}) part order by ${sorting("part")} limit ${size}`;
};

/** Reads lists of conversations. */
export const inboxPageStore = (db: Db) => ({
  /** -> up to `limit` conversations of a view in their order */
  page: async (query: PageQuery): Promise<InboxItemRow[]> => {
    if (query.view.segments.length === 0) return [];
    const parameters = createParameters();
    const branches = await branchesOf(db, query.accountId, query.view, query.limit);
    const text = pageText(query, branches, parameters);
    return inboxItemsOf(db, query, { text, parameters, order: INBOX_SORTS[query.order] });
  },
  /** The entry of one conversation. */
  item: async (viewer: Omit<InboxQuery, "view">, conversationId: string): Promise<InboxItemRow | undefined> => {
    const parameters = createParameters();
    const [account, id] = [parameters.add(viewer.accountId, "integer"), parameters.add(conversationId, "uuid")];
    const text = `select * from inbox_entries where account_id = ${account} and conversation_id = ${id}`;
    return (await inboxItemsOf(db, viewer, { text, parameters, order: INBOX_SORTS.newest }))[0];
  },
  /** Number of all conversations of a view. */
  total: async ({ accountId, agentId, view }: InboxQuery): Promise<number> => {
    if (view.segments.length === 0) return 0;
    const parameters = createParameters();
    const account = parameters.add(accountId, "integer");
    const agent = agentOf(view, agentId, parameters);
    const where = [
      `e.account_id = ${account}`,
      `e.status = any(${parameters.add(view.statuses, "text[]")})`,
      segmentsCondition(view.segments, parameters),
      ...otherConditions(view, { account, agent }, parameters),
    ].join(" and ");
    const marks = view.unread === undefined ? "" : joinReadMark(agent);
    const text = needsEntries(view)
      ? `select count(*) as total from inbox_entries e ${marks} where ${where}`
      : `select coalesce(sum(e.count), 0)::bigint as total from inbox_counts e where ${where}`;
    return Number((await db.one<{ total: number }>(statement("", text), parameters.values))?.total ?? 0);
  },
});
export type InboxPageStore = ReturnType<typeof inboxPageStore>;
