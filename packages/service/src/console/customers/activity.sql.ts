import { statement, type Db } from "@parley/database";
import {
  COUNT_OF_ALL,
  listedRow,
  parameterOf,
  resultText,
  type CustomerPosition,
  type ListedCustomerRow,
  type ResultRow,
} from "./page.sql.ts";

// Walks the conversations from the last active one and keeps the first one of each customer, so that only the page's customers are read.
const withActivity = (total: string) =>
  statement(
    "",
    `with page as materialized (
       select u.id, u.created_time, u.name_key, c.updated_time as sorted, c.number as tie
         from conversations c
        cross join lateral (select * from users where users.id = c.user_id limit 1) u
        where c.account_id = $1 and u.deleted_time is null and (c.updated_time, c.number) < ($2::timestamptz, $3::bigint)
          and not exists (
                select from conversations later
                 where later.user_id = c.user_id and (later.updated_time, later.number) > (c.updated_time, c.number))
        order by c.updated_time desc, c.number desc
        limit $4
     )
     ${resultText("own", "desc", total)}`,
  );
const withoutActivity = (total: string) =>
  statement(
    "",
    `with page as materialized (
       select u.id, u.created_time, u.name_key, u.created_time as sorted, u.sequence as tie
         from users u
        where u.account_id = $1 and u.deleted_time is null and (u.created_time, u.sequence) < ($2::timestamptz, $3::bigint)
          and not exists (select from conversations c where c.user_id = u.id)
        order by u.created_time desc, u.sequence desc
        limit $4
     )
     ${resultText("own", "desc", total)}`,
  );

interface ActivityQuery {
  readonly after: CustomerPosition | undefined;
  readonly limit: number;
}

/** All customers of an account by their newest activity, then those without a conversation, the newest first. */
export const listByActivity = async (
  db: Db,
  accountId: number,
  { after, limit }: ActivityQuery,
): Promise<ListedCustomerRow[]> => {
  const total = after ? "null::integer" : COUNT_OF_ALL;
  const read = async (
    sequence: "newest_activity" | "without_activity",
    position: CustomerPosition | undefined,
    size: number,
  ): Promise<ListedCustomerRow[]> => {
    const text = { newest_activity: withActivity, without_activity: withoutActivity }[sequence](total);
    const values = [accountId, position ? parameterOf(position) : "infinity", position?.tie ?? 0, size];
    return (await db.rows<ResultRow>(text, values)).map((row) => listedRow(sequence, row));
  };
  if (after?.in === "without_activity") return read("without_activity", after, limit);
  const active = await read("newest_activity", after, limit);
  const missing = limit - active.length;
  return missing > 0 ? [...active, ...(await read("without_activity", undefined, missing))] : active;
};
