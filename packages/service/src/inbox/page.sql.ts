import type { InboxOrder } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import {
  agentConditions,
  createParameters,
  joinReadMark,
  needsEntries,
  otherConditions,
  segmentsCondition,
  type SqlParameters,
} from "./conditions.sql.ts";
import { INBOX_SORTS, type InboxPosition, SORT_COLUMN_TYPES } from "./cursor.ts";
import { itemsOf, type InboxItemRow } from "./items.sql.ts";
import type { InboxSegment, InboxView } from "./view.ts";

/** Who lists which conversations. */
export interface InboxQuery {
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

const positionText = (order: InboxOrder, position: InboxPosition, { add }: SqlParameters): string =>
  INBOX_SORTS[order].columns
    .map((column, index) => {
      const type = SORT_COLUMN_TYPES[column];
      const value = position[index] ?? 0;
      return add(type === "timestamptz" ? new Date(value).toISOString() : value, type);
    })
    .join(", ");

/** SQL of the agent, where a view depends on it: a parameter that a statement does not use is invalid. */
const agentOf = ({ unread }: InboxView, agentId: string, { add }: SqlParameters): string =>
  unread === undefined ? "null" : add(agentId, "uuid");

/** SQL of the first conversations of a view. */
const pageText = ({ accountId, agentId, view, order, after, limit }: PageQuery, parameters: SqlParameters): string => {
  const { add } = parameters;
  const { columns, direction } = INBOX_SORTS[order];
  const sorting = (source: string) => columns.map((column) => `${source}.${column} ${direction}`).join(", ");
  const [account, size] = [add(accountId, "integer"), add(limit, "integer")];
  const agent = agentOf(view, agentId, parameters);
  const conditions = [
    `e.account_id = ${account}`,
    "e.status = state.name",
    ...otherConditions(view, { account, agent }, parameters),
    ...(after
      ? [
          `(${columns.map((column) => `e.${column}`).join(", ")}) ${direction === "asc" ? ">" : "<"} (${positionText(order, after, parameters)})`,
        ]
      : []),
  ];
  const statuses = `unnest(${add(view.statuses, "text[]")}) as state (name)`;
  const marks = view.unread === undefined ? "" : joinReadMark(agent);
  // Each status and each group is read in the order of an index, up to the size of the page.
  const parts = view.segments.map((segment: InboxSegment) => {
    const { groups } = segment;
    const listed = groups ? ` cross join unnest(${add(groups, "uuid[]")}) as team (id)` : "";
    const byGroup = groups === undefined ? [] : [groups === null ? "e.group_id is null" : "e.group_id = team.id"];
    const where = [...conditions, ...byGroup, ...agentConditions(segment, parameters)].join(" and ");
    return `select found.*
              from ${statuses}${listed}
             cross join lateral (
               select e.* from inbox_entries e ${marks} where ${where} order by ${sorting("e")} limit ${size}
             ) found`;
  });
  return `select * from (${parts.join(" union all ")}) part order by ${sorting("part")} limit ${size}`;
};

/** Reads lists of conversations. */
export const inboxPageStore = (db: Db) => ({
  /** -> up to `limit` conversations of a view in their order */
  page: async (query: PageQuery): Promise<InboxItemRow[]> => {
    if (query.view.segments.length === 0) return [];
    const parameters = createParameters();
    const text = pageText(query, parameters);
    return itemsOf(db, query, { text, parameters, order: INBOX_SORTS[query.order] });
  },
  /** The entry of one conversation. */
  item: async (viewer: Omit<InboxQuery, "view">, conversationId: string): Promise<InboxItemRow | undefined> => {
    const parameters = createParameters();
    const [account, id] = [parameters.add(viewer.accountId, "integer"), parameters.add(conversationId, "uuid")];
    const text = `select * from inbox_entries where account_id = ${account} and conversation_id = ${id}`;
    return (await itemsOf(db, viewer, { text, parameters, order: INBOX_SORTS.newest }))[0];
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
