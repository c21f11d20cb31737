import { statement, type Db } from "@parley/database";
import { conditionOf, createdRangeOf, type UserPage, type UserSelection, type CreatedRange } from "./filters.sql.ts";

/** Number of users before a time: the sum of the preceding ranges plus a count within the range of that time. */
const rankOf = (time: string) => `
  select range.before + (
           select count(*)
             from users
            where account_id = $1 and deleted_time is null
              and (created_time, sequence) >= (range.from_time, range.from_sequence) and created_time < ${time}
         )
    from (
      select before, from_time, from_sequence
        from places
       where is_range and from_time < ${time}
       order by from_time desc, from_sequence desc
       limit 1
    ) as range`;

// A pending change counts as a range of its own. The rank of the first item determines its range and the offset in it,
// so that at most one range is skipped row by row.
const RANKED_USERS = statement(
  "ranked_users",
  `with places as materialized (
     select from_time, from_sequence, is_range,
            coalesce(sum(change) over (
              order by from_time, from_sequence, is_range desc rows between unbounded preceding and 1 preceding
            ), 0) as before
       from (
         select from_time, from_sequence, count as change, true as is_range from user_ranks where account_id = $1
         union all
         select created_time, sequence, change, false from user_rank_changes where account_id = $1
         union all
         values ('-infinity'::timestamptz, -1::bigint, 0, true), ('infinity', 0, 0, false)
       ) as place
   ), ends as (
     select case when $2::timestamptz is null then 0 else coalesce((${rankOf("$2")}), 0) end as first,
            case when $3::timestamptz is null then (select before from places where from_time = 'infinity')
                 else coalesce((${rankOf("$3")}), 0) end as last
   ), page as (
     select case when $4::boolean then greatest(first, last - $6::bigint - $5::bigint) else first + $6 end as first,
            case when $4 then last - $6 else least(last, first + $6 + $5) end as beyond
       from ends
   ), seek as materialized (
     select from_time, from_sequence, page.first - before as skip, greatest(page.beyond - page.first, 0) as size
       from places, page
      where is_range and before <= page.first
      order by before desc, from_time desc, from_sequence desc
      limit 1
   ), chosen as (
     select created_time, sequence
       from users
      where account_id = $1 and deleted_time is null
        and (created_time, sequence) >= ((select from_time from seek), (select from_sequence from seek))
      order by created_time, sequence
      limit (select size from seek) offset (select case when size = 0 then 0 else skip end from seek)
   ), numbered as (
     select body, row_number() over (order by place.created_time, place.sequence) as number
       from chosen as place
      cross join lateral (
        select body
          from users
         where account_id = $1 and deleted_time is null
           and users.created_time = place.created_time and users.sequence = place.sequence
         limit 1
      ) as looked_up
   )
   select (select greatest(last - first, 0) from ends) as total,
          coalesce(string_agg(body, ',' order by case when $4 then -number else number end), '') as items
     from numbered`,
);

/** A page of users in creation order, at a cost independent of the offset. Total and page come from one snapshot. */
const rankedPage = async (
  db: Db,
  accountId: number,
  { from, to }: CreatedRange,
  { sort_order, limit, offset }: Pick<UserSelection, "sort_order" | "limit" | "offset">,
): Promise<UserPage> => {
  const values = [accountId, from, to, sort_order === "desc", limit, offset];
  return (await db.one<UserPage>(RANKED_USERS, values)) ?? { total: 0, items: "" };
};

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

/**
 * Statement and column of each sort order; `textWithAbsent` for nullable columns. The last three have no index in their order: the matching
 * users are sorted for each page.
 */
const SORTS = {
  created_time: [plainText, "created_time"],
  updated_time: [plainText, "updated_time"],
  first_name: [textWithAbsent, "first_name_key"],
  last_name: [textWithAbsent, "last_name_key"],
  email: [textWithAbsent, "email_key"],
  phone: [textWithAbsent, `(left(phone_key(phone), 200) collate "C")`],
  reference_id: [textWithAbsent, `(reference_id collate "C")`],
  id: [plainText, "id"],
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
