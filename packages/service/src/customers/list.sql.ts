import { INVALID_VALUE, refuse, type CustomerOrder } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { groupsOf, isReached, type ReachingAgent } from "../conversations/reach.sql.ts";
import { listByActivity } from "./activity.sql.ts";
import {
  ACTIVITY,
  COUNT_OF_ALL,
  listedRow,
  parameterOf,
  resultText,
  type CustomerPosition,
  type ListedRow,
  type ResultRow,
} from "./page.sql.ts";
import { customerMatches } from "./search.sql.ts";

export interface CustomerQuery {
  /** Beginning of a name, an e-mail address or a phone number; absent: all customers. */
  readonly text: string | undefined;
  readonly order: CustomerOrder;
  readonly after: CustomerPosition | undefined;
  readonly limit: number;
}

interface SortRule {
  /** The sorted value, of the columns of a candidate. Customers without activity come last. */
  readonly value: string;
  readonly type: "timestamptz" | "text";
  readonly direction: "asc" | "desc";
}
const SORTS: Readonly<Record<CustomerOrder, SortRule>> = {
  newest: { value: "created_time", type: "timestamptz", direction: "desc" },
  oldest: { value: "created_time", type: "timestamptz", direction: "asc" },
  name: { value: "name_key", type: "text", direction: "asc" },
  newest_activity: { value: "coalesce(activity_time, '-infinity')", type: "timestamptz", direction: "desc" },
};

/** Where the activity of candidates is read from: the conversations that the agent reaches, or each candidate's own; nowhere when absent. */
interface ActivitySource {
  readonly with: string;
  readonly join: string;
}

/** @shape condition: of the conversation `c` */
const reachedConversations = (condition: string): ActivitySource => ({
  with: `reached as materialized (
    select user_id, ${ACTIVITY} from conversations c where c.account_id = $1 and ${condition} group by user_id
  ),`,
  join: "join reached on reached.user_id = u.id",
});
const OWN_CONVERSATIONS: ActivitySource = {
  with: "",
  join: `cross join lateral (select ${ACTIVITY} from conversations c where c.user_id = u.id) own`,
};

interface ListParts {
  readonly activity: ActivitySource | undefined;
  readonly found: string;
  readonly beyond: string;
  readonly sort: SortRule;
  readonly limit: string;
  readonly total: string;
}

const COUNT_OF_CANDIDATES = "(select count(*)::integer from candidates)";

const listText = ({ activity, found, beyond, sort, limit, total }: ListParts): string => {
  const { value, direction } = sort;
  return `
  with ${activity?.with ?? ""} candidates as ${total === COUNT_OF_CANDIDATES ? "materialized" : "not materialized"} (
    select u.id, u.created_time, u.sequence, u.name_key ${activity ? ", conversations, activity_time" : ""}
      from users u
      ${activity?.join ?? ""}
     where u.account_id = $1 and u.deleted_time is null and ${found}
  ), page as materialized (
    select *, ${value} as sorted, sequence as tie
      from candidates
     where ${beyond}
     order by ${value} ${direction}, sequence ${direction}
     limit ${limit}
  )
  ${resultText(activity ? "page" : "own", direction, total)}`;
};

/**
 * A page of customers within an agent's scope. On the first page, the number of all of them is from the same snapshot.
 * Conversations are read before the page where they decide which customers are listed, or in which order; otherwise those of its customers.
 * @errors INVALID_VALUE for a position in another list
 */
export const listCustomers = async (
  db: Db,
  accountId: number,
  agent: ReachingAgent,
  { text, order, after, limit }: CustomerQuery,
): Promise<ListedRow[]> => {
  const isGlobal = agent.scope === "Global";
  const isWhole = isGlobal && text === undefined;
  if (isWhole && order === "newest_activity") return listByActivity(db, accountId, { after, limit });
  if (after?.in === "without_activity") refuse(INVALID_VALUE, "cursor must be the `next` of a page of the same list.");

  const values: unknown[] = [accountId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const sort = SORTS[order];
  const reached = () => reachedConversations(isReached(parameter(agent.id), parameter(groupsOf(agent))));
  const beyond = (position: CustomerPosition): string =>
    `(${sort.value}, sequence) ${sort.direction === "asc" ? ">" : "<"}
     (${parameter(parameterOf(position))}::${sort.type}, ${parameter(position.tie)}::bigint)`;
  const ownActivity = order === "newest_activity" ? OWN_CONVERSATIONS : undefined;
  const total = isWhole ? COUNT_OF_ALL : COUNT_OF_CANDIDATES;
  const parts: ListParts = {
    activity: isGlobal ? ownActivity : reached(),
    found: text === undefined ? "true" : customerMatches(text, parameter(text)),
    beyond: after ? beyond(after) : "true",
    sort,
    limit: `${parameter(limit)}::integer`,
    total: after ? "null::integer" : total,
  };
  // Unprepared: there are many combinations, and each needs its own plan.
  const rows = await db.rows<ResultRow>(statement("", listText(parts)), values);
  return rows.map((row) => listedRow(order, row));
};
