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
  `select c.id is not null as found, page.texts,
          coalesce((
            select true from messages older
            where older.conversation_id = c.id and older.seq < page.oldest
              and (q.from_time is null or older.created_time >= q.from_time)
            order by older.seq desc limit 1
          ), false) as more
   from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::bigint[], $5::integer[])
        with ordinality as q (conversation_id, account_id, from_time, skip, size, place)
   left join lateral (
     select id from conversations where id = q.conversation_id and account_id = q.account_id limit 1
   ) c on true
   left join lateral (
     select string_agg(body, ',' order by seq desc) as texts, min(seq) as oldest
     from (
       select body, seq
       from messages
       where conversation_id = c.id and (q.from_time is null or created_time >= q.from_time)
       order by seq desc
       limit q.size offset q.skip
     ) newest
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
