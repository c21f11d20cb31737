import { INVALID_VALUE, refuse, type CustomerOrder } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { groupsOf, isReached, type ReachingAgent } from "../../messaging/conversations/reach.sql.ts";
import { listByActivity } from "./activity.sql.ts";
import {
  CUSTOMER_ACTIVITY,
  COUNT_OF_ALL,
  listedRow,
  parameterOf,
  resultText,
  type CustomerPosition,
  type ListedCustomerRow,
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

/** Source of the candidates of a list. @shape from: `users u` or rows with the same columns, and a condition */
interface ListSource {
  readonly with: string;
  readonly from: string;
  /** Whether the rows also have `conversations` and `activity_time`. */
  readonly hasActivity: boolean;
}

/** @shape found: condition of the user `u` */
const customersWhere = (found: string): ListSource => ({
  with: "",
  from: `users u where ${found}`,
  hasActivity: false,
});
/** Only customers with such a conversation. @shape reached: condition of the conversation `c`; found: of the user `u` */
const customersReached = (reached: string, found: string): ListSource => ({
  with: `reached as materialized (
    select user_id, ${CUSTOMER_ACTIVITY} from conversations c where c.account_id = $1 and ${reached} group by user_id
  ),`,
  from: `users u join reached on reached.user_id = u.id where ${found}`,
  hasActivity: true,
});
/** The customers are found first, so that only their conversations are read if they are few. @shape found: condition of the user `u` */
const customersWithActivity = (found: string): ListSource => ({
  with: `matching as materialized (
    select u.id, u.created_time, u.sequence, u.name_key from users u where ${found}
  ), reached as materialized (
    select user_id, ${CUSTOMER_ACTIVITY} from conversations c join matching on matching.id = c.user_id group by user_id
  ),`,
  from: "matching u left join reached on reached.user_id = u.id",
  hasActivity: true,
});

interface ListParts {
  readonly source: ListSource;
  readonly beyond: string;
  readonly sort: SortRule;
  readonly limit: string;
  readonly total: string;
}

const COUNT_OF_CANDIDATES = "(select count(*)::integer from candidates)";

const listText = ({ source, beyond, sort, limit, total }: ListParts): string => {
  const { value, direction } = sort;
  const activity = source.hasActivity ? ", coalesce(conversations, 0) as conversations, activity_time" : "";
  return `
  with ${source.with} candidates as ${total === COUNT_OF_CANDIDATES ? "materialized" : "not materialized"} (
    select u.id, u.created_time, u.sequence, u.name_key ${activity} from ${source.from}
  ), page as materialized (
    select *, ${value} as sorted, sequence as tie
      from candidates
     where ${beyond}
     order by ${value} ${direction}, sequence ${direction}
     limit ${limit}
  )
  ${resultText(source.hasActivity ? "page" : "own", direction, total)}`;
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
): Promise<ListedCustomerRow[]> => {
  const isGlobal = agent.scope === "Global";
  const isWhole = isGlobal && text === undefined;
  if (isWhole && order === "newest_activity") return listByActivity(db, accountId, { after, limit });
  if (after?.in === "without_activity") refuse(INVALID_VALUE, "cursor must be the `next` of a page of the same list.");

  const values: unknown[] = [accountId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const sort = SORTS[order];
  const found = [
    "u.account_id = $1 and u.deleted_time is null",
    ...(text === undefined ? [] : [customerMatches(text, parameter(text))]),
  ].join(" and ");
  const source = (): ListSource => {
    if (!isGlobal) return customersReached(isReached(parameter(agent.id), parameter(groupsOf(agent))), found);
    return order === "newest_activity" ? customersWithActivity(found) : customersWhere(found);
  };
  const beyond = (position: CustomerPosition): string =>
    `(${sort.value}, sequence) ${sort.direction === "asc" ? ">" : "<"}
     (${parameter(parameterOf(position))}::${sort.type}, ${parameter(position.tie)}::bigint)`;
  const total = isWhole ? COUNT_OF_ALL : COUNT_OF_CANDIDATES;
  const parts: ListParts = {
    source: source(),
    beyond: after ? beyond(after) : "true",
    sort,
    limit: `${parameter(limit)}::integer`,
    total: after ? "null::integer" : total,
  };
  // Unprepared: there are many combinations, and each needs its own plan.
  const rows = await db.rows<ResultRow>(statement("", listText(parts)), values);
  return rows.map((row) => listedRow(order, row));
};
