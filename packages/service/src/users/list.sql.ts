import { statement, type Db } from "@parley/database";
import { conditionOf, createdRangeOf, type UserPage, type UserSelection } from "./filters.sql.ts";
import { rankedPage } from "./ranked-list.sql.ts";

/** Reads the order from the index alone as far as possible, and bodies for the page only. */
const bodiesOf = (places: string, part: number, order: string, same: string) => `
  select looked_up.body, ${part} as part, row_number() over (order by ${order}) as number
    from ${places} as place
   cross join lateral (
     select body from users
      where account_id = $1 and deleted_time is null and ${same} and users.sequence = place.sequence
      limit 1
   ) as looked_up`;

const plainText = (condition: string, column: string, direction: string): string => `
  with place as (
    select ${column} as key, sequence from users where ${condition}
     order by ${column} ${direction}, sequence ${direction}
     limit $2 offset $3
  ), page as (${bodiesOf("place", 0, `place.key ${direction}, place.sequence ${direction}`, `${column} = place.key`)}
  )
  select (select count(*) from users where ${condition}) as total,
         (select coalesce(string_agg(body, ',' order by number), '') from page) as items`;

// Two consecutive lists, because an index read backwards starts with null values. The rows with a value are counted by
// subtraction: counting them directly would read all rows.
const textWithAbsent = (condition: string, column: string, direction: string): string => `
  with counted as materialized (
    select total, total - absent as present
      from (select count(*) as total from users where ${condition}) as everybody,
           (select count(*) as absent from users where ${condition} and ${column} is null) as without
  ), present as (
    select ${column} as key, sequence from users where ${condition} and ${column} is not null
     order by ${column} ${direction}, sequence ${direction}
     limit $2 offset $3
  ), absent as (
    select sequence from users where ${condition} and ${column} is null
     order by ${column} ${direction}, sequence ${direction}
     limit (select least($2::bigint, greatest(0, $3 + $2 - present)) from counted)
    offset (select greatest(0, $3 - present) from counted)
  ), page as (${bodiesOf("present", 0, `place.key ${direction}, place.sequence ${direction}`, `${column} = place.key`)}
    union all ${bodiesOf("absent", 1, `place.sequence ${direction}`, `${column} is null`)}
  )
  select (select total from counted) as total,
         (select coalesce(string_agg(body, ',' order by part, number), '') from page) as items`;

/** Statement and column of each sort order; `textWithAbsent` for nullable columns. */
const SORTS = {
  created_time: [plainText, "created_time"],
  updated_time: [plainText, "updated_time"],
  first_name: [textWithAbsent, "first_name_key"],
  last_name: [textWithAbsent, "last_name_key"],
  email: [textWithAbsent, "email_key"],
} as const satisfies Record<UserSelection["sort_by"], readonly [text: typeof plainText, column: string]>;

/**
 * A page for any filters and order. Counts all matches.
 * @assumed Users without the sorted field come last in both directions.
 */
const filteredPage = async (db: Db, accountId: number, selection: UserSelection): Promise<UserPage> => {
  const { filters, sort_by, sort_order, limit, offset } = selection;
  const { text: condition, values } = conditionOf(filters, 4);
  const direction = sort_order === "desc" ? "desc" : "asc";
  const [textOf, column] = SORTS[sort_by];
  const text = textOf(condition, column, direction);
  // Unprepared: there are thousands of combinations, and each needs its own plan.
  const page = await db.one<UserPage>(statement("", text), [accountId, limit, offset, ...values]);
  return page ?? { total: 0, items: "" };
};

/**
 * A page of users and the total count, from one snapshot. Ties are ordered by `sequence`, so that pages neither repeat
 * nor skip users.
 * @shape keyed: connections whose plans use key lookups
 */
export const listUsers = (
  { keyed, pool }: { readonly keyed: Db; readonly pool: Db },
  accountId: number,
  selection: UserSelection,
): Promise<UserPage> => {
  const range = selection.sort_by === "created_time" ? createdRangeOf(selection.filters) : undefined;
  return range ? rankedPage(keyed, accountId, range, selection) : filteredPage(pool, accountId, selection);
};
