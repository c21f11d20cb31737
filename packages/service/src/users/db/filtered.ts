import { statement, type Db } from "@parley/database";
import { conditionOf } from "./filters.ts";
import type { UserPage, UserSelection } from "./selection.ts";

/** Where a user stands in the order is read from the index alone as far as possible; the bodies are looked up for the page only. */
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

// Two lists one behind the other, since an index that is read backwards begins with those without the field. They are counted apart too:
// to count those with the field, all rows would have to be read.
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

/** What to sort by, and whether a user may be without it. */
const SORTS = {
  created_time: [plainText, "created_time"],
  updated_time: [plainText, "updated_time"],
  first_name: [textWithAbsent, "first_name_key"],
  last_name: [textWithAbsent, "last_name_key"],
  email: [textWithAbsent, "email_key"],
} as const satisfies Record<UserSelection["sort_by"], readonly [text: typeof plainText, column: string]>;

/**
 * A page of those that any filters match, in any order: all that match are counted.
 * @assumed Users without the field come last, in both directions.
 */
export const filteredPage = async (db: Db, accountId: number, selection: UserSelection): Promise<UserPage> => {
  const { filters, sort_by, sort_order, limit, offset } = selection;
  const { text: condition, values } = conditionOf(filters, 4);
  const direction = sort_order === "desc" ? "desc" : "asc";
  const [textOf, column] = SORTS[sort_by];
  const text = textOf(condition, column, direction);
  // Not prepared: there are thousands of combinations, and each deserves a plan of its own.
  const page = await db.one<UserPage>(statement("", text), [accountId, limit, offset, ...values]);
  return page ?? { total: 0, items: "" };
};
