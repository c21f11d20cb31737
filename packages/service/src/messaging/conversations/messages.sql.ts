import { type Db, statement, arrayLiteral } from "@parley/database";

/** A page of a conversation's messages, counted from the newest. */
export interface MessagePageQuery {
  readonly accountId: number;
  readonly conversationId: string;
  readonly from: Date | undefined;
  /** Last log position included; undefined: no bound. */
  readonly until: number | undefined;
  readonly offset: number;
  readonly size: number;
}

export interface MessagePage {
  /** The account has this conversation. */
  readonly found: boolean;
  /** JSON texts of the messages, separated by commas. */
  readonly texts: string;
  /** There are older messages. */
  readonly more: boolean;
  /** Log position of the page's newest message; null if the page is empty. */
  readonly newest: number | null;
}

/** JSON text contains no raw line feed, so this separator is unambiguous. */
const MESSAGE_SEPARATOR = ",\n";

// Reads one message more than the page holds to detect a next page. It is cut off here, which is cheaper than a second
// query.
const MESSAGE_PAGES = statement(
  "message_pages",
  `select c.id is not null as found, page.texts, page.count, page.newest
   from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::bigint[], $5::integer[], $6::bigint[])
        with ordinality as q (conversation_id, account_id, from_time, skip, size, until, place)
   left join lateral (
     select id from conversations where id = q.conversation_id and account_id = q.account_id limit 1
   ) c on true
   left join lateral (
     select string_agg(body, e',\\n' order by seq desc) as texts, count(*) as count, max(seq) as newest
     from (
       select body, seq
       from messages
       where conversation_id = c.id and seq <= q.until and (q.from_time is null or created_time >= q.from_time)
       order by seq desc
       limit q.size + 1 offset q.skip
     ) newest
   ) page on true
   order by q.place`,
);

// Far from the newest message, positions are counted in the index alone and bodies are read for the page only.
// Unprepared: planned for its values, it checks message times only where necessary.
const orderedPage = (order: "asc" | "desc") =>
  statement(
    "",
    `select true as found, page.texts, page.count, null as newest
   from conversations c
   left join lateral (
     select string_agg(looked_up.body, e',\\n' order by place.seq ${order}) as texts, count(*) as count
     from (
       select seq
       from messages
       where conversation_id = $1 and seq <= $6::bigint and ($3::timestamptz is null or created_time >= $3)
       order by seq ${order}
       limit $5::integer + 1 offset $4::bigint
     ) place
     cross join lateral (
       select body from messages where conversation_id = $1 and messages.seq = place.seq limit 1
     ) looked_up
   ) page on true
   where c.id = $1::uuid and c.account_id = $2::integer`,
  );
const ORDERED_PAGES = { asc: orderedPage("asc"), desc: orderedPage("desc") };

const NOT_FOUND_PAGE: MessagePage = { found: false, texts: "", more: false, newest: null };

/** Upper bound of all log positions. */
const LAST = "9223372036854775807";

interface PageRow {
  readonly found: boolean;
  readonly texts: string | null;
  readonly count: number;
  readonly newest: number | null;
}

const pageOf = ({ found, texts, count, newest }: PageRow, size: number): MessagePage => {
  const more = count > size;
  return {
    found,
    texts: more && texts ? texts.slice(0, texts.lastIndexOf(MESSAGE_SEPARATOR)) : (texts ?? ""),
    more,
    newest,
  };
};

/** Reads of the table `messages`. */
export const messageStore = (db: Db, heavy: Db = db) => ({
  pages: async (queries: readonly MessagePageQuery[]): Promise<MessagePage[]> => {
    const rows = await db.rows<PageRow>(MESSAGE_PAGES, [
      arrayLiteral(queries.map(({ conversationId }) => conversationId)),
      arrayLiteral(queries.map(({ accountId }) => accountId)),
      arrayLiteral(queries.map(({ from }) => from?.toISOString() ?? null)),
      arrayLiteral(queries.map(({ offset }) => offset)),
      arrayLiteral(queries.map(({ size }) => size)),
      arrayLiteral(queries.map(({ until }) => until ?? LAST)),
    ]);
    return rows.map((row, index) => pageOf(row, queries[index]?.size ?? 0));
  },
  /** Reads one page far from the newest message, or in the other order, on a separate pool, so that it does not delay first pages. */
  deepPage: async (query: MessagePageQuery, order: "asc" | "desc" = "desc"): Promise<MessagePage> => {
    const { conversationId, accountId, from, until = LAST, offset, size } = query;
    const values = [conversationId, accountId, from?.toISOString(), offset, size, until];
    const row = await heavy.one<PageRow>(ORDERED_PAGES[order], values);
    return row ? pageOf(row, size) : NOT_FOUND_PAGE;
  },
});
export type MessageStore = ReturnType<typeof messageStore>;
