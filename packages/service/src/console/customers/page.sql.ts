import type { CustomerOrder, DirectoryCustomer } from "@parley/contract";
import { withoutNulls } from "../../base/db/page.ts";

/** Sequences in which a list is read. Customers without activity are a list of their own, after those with activity. */
export type CustomerSequence = CustomerOrder | "without_activity";

/** Where a page ends: the last customer's value in the order, and a number that distinguishes equal customers. */
export interface CustomerPosition {
  readonly in: CustomerSequence;
  /** A name's key, or a time; null for a customer without activity. @units epoch milliseconds */
  readonly key: string | number | null;
  readonly tie: number;
}

/** A customer of a page. */
export interface ListedCustomerRow {
  readonly customer: DirectoryCustomer;
  readonly position: CustomerPosition;
  /** Exact number of all customers of the list; null on other pages than the first page. */
  readonly total: number | null;
}

/** The number of all customers of the account, by the counts of ranges: no customer is read. @shape $1: account */
export const COUNT_OF_ALL = `(
  (select coalesce(sum(count), 0) from user_ranks where account_id = $1)
  + (select coalesce(sum(change), 0) from user_rank_changes where account_id = $1)
)::integer`;

/** Summary of the conversations `c` of a customer. */
export const CUSTOMER_ACTIVITY = "count(*)::integer as conversations, max(c.updated_time) as activity_time";

/**
 * SQL of the result: the customers of `page`, which has `id`, `created_time`, `name_key`, `sorted` and `tie`.
 * @shape activity: "page" if it also has `conversations` and `activity_time`; otherwise they are read for its customers
 */
export const resultText = (activity: "page" | "own", direction: "asc" | "desc", total: string): string => `
  select page.id, u.first_name, u.last_name, u.email, u.phone, u.body::json #>> '{avatar,url}' as avatar_url,
         page.created_time, page.name_key, page.tie, ${total} as total,
         ${activity}.conversations, ${activity}.activity_time
    from page
   cross join lateral (select * from users where users.id = page.id limit 1) u
   ${activity === "own" ? `cross join lateral (select ${CUSTOMER_ACTIVITY} from conversations c where c.user_id = page.id) own` : ""}
   order by page.sorted ${direction}, page.tie ${direction}`;

/** A row of that result. */
export interface ResultRow extends Omit<DirectoryCustomer, "created_time" | "activity_time"> {
  readonly created_time: Date;
  readonly activity_time: Date | null;
  readonly name_key: string;
  readonly tie: number;
  readonly total: number | null;
}

const KEYS: Readonly<
  Record<
    CustomerSequence,
    (row: Pick<ResultRow, "created_time" | "activity_time" | "name_key">) => CustomerPosition["key"]
  >
> = {
  newest: ({ created_time }) => created_time.getTime(),
  oldest: ({ created_time }) => created_time.getTime(),
  name: ({ name_key }) => name_key,
  newest_activity: ({ activity_time }) => activity_time?.getTime() ?? null,
  without_activity: ({ created_time }) => created_time.getTime(),
};

export const listedRow = (
  sequence: CustomerSequence,
  { name_key, tie, total, ...row }: ResultRow,
): ListedCustomerRow => {
  const { created_time, activity_time, ...profile } = row;
  return {
    customer: {
      ...withoutNulls(profile),
      created_time: created_time.toISOString(),
      ...(activity_time && { activity_time: activity_time.toISOString() }),
    },
    position: { in: sequence, key: KEYS[sequence]({ created_time, activity_time, name_key }), tie },
    total,
  };
};

/** The value of a position as a parameter. */
export const parameterOf = ({ in: sequence, key }: CustomerPosition): unknown => {
  if (sequence === "name") return key;
  return key === null ? "-infinity" : new Date(Number(key)).toISOString();
};
