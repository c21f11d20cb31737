import { type Db, statement } from "@parley/database";
import { plainArray } from "../db/arrays.ts";

/** A page of a conversation's messages, counted from the newest. */
export interface MessagePageQuery {
  readonly accountId: number;
  readonly conversationId: string;
  readonly from: Date | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface MessagePage {
  /** The account has such a conversation. */
  readonly found: boolean;
  /** JSON texts of the messages with commas between; null for none. */
  readonly texts: string | null;
  /** There are older ones. */
  readonly more: boolean;
}

const MESSAGE_PAGES = statement(
  "message_pages",
  `select c.id is not null as found, page.texts, coalesce(page.more, false) as more
   from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::bigint[], $5::integer[])
        with ordinality as q (conversation_id, account_id, from_time, skip, size, place)
   left join conversations c on c.id = q.conversation_id and c.account_id = q.account_id
   left join lateral (
     select string_agg(m.body, ',' order by m.seq desc) filter (where m.rank <= q.size) as texts, count(*) > q.size as more
     from (
       select body, seq, row_number() over (order by seq desc) as rank
       from (
         select body, seq
         from messages
         where conversation_id = c.id and (q.from_time is null or created_time >= q.from_time)
         order by seq desc
         limit q.size + 1 offset q.skip
       ) newest
     ) m
   ) page on true
   order by q.place`,
);

/** Reads of the table `messages`. */
export const messageStore = (db: Db) => ({
  pages: (queries: readonly MessagePageQuery[]) =>
    db.rows<MessagePage>(MESSAGE_PAGES, [
      plainArray(queries.map(({ conversationId }) => conversationId)),
      plainArray(queries.map(({ accountId }) => accountId)),
      plainArray(queries.map(({ from }) => from?.toISOString() ?? null)),
      plainArray(queries.map(({ offset }) => offset)),
      plainArray(queries.map(({ limit }) => limit)),
    ]),
});
export type MessageStore = ReturnType<typeof messageStore>;
