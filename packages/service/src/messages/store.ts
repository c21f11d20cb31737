import { type Db, statement } from "@parley/database";
import { plainArray } from "../db/arrays.ts";

/** A page of a conversation's messages, counted from the newest. */
export interface MessagePageQuery {
  readonly accountId: number;
  readonly conversationId: string;
  readonly from: Date | undefined;
  /** The last place in the log that counts; undefined: all. */
  readonly until: number | undefined;
  readonly offset: number;
  readonly size: number;
}

export interface MessagePage {
  /** The account has such a conversation. */
  readonly found: boolean;
  /** JSON texts of the messages with commas between. */
  readonly texts: string;
  /** There are older ones. */
  readonly more: boolean;
  /** The place of the page's newest message in the log; null where the page is empty. */
  readonly newest: number | null;
}

/** A line feed never stands in a JSON text as it is: it tells the messages apart. */
const BETWEEN = ",\n";

// One message more than the page has says whether there is another page, and is cut off here: cheaper than to ask for it.
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

// Far from the newest the places are counted off in the index alone, and bodies are looked up for the page only. Not prepared: planned for
// its values, it looks at the time of a message only where it has to.
const DEEP_PAGE = statement(
  "",
  `select true as found, page.texts, page.count, null as newest
   from conversations c
   left join lateral (
     select string_agg(looked_up.body, e',\\n' order by place.seq desc) as texts, count(*) as count
     from (
       select seq
       from messages
       where conversation_id = $1 and seq <= $6::bigint and ($3::timestamptz is null or created_time >= $3)
       order by seq desc
       limit $5::integer + 1 offset $4::bigint
     ) place
     cross join lateral (
       select body from messages where conversation_id = $1 and messages.seq = place.seq limit 1
     ) looked_up
   ) page on true
   where c.id = $1::uuid and c.account_id = $2::integer`,
);

const NOWHERE: MessagePage = { found: false, texts: "", more: false, newest: null };

/** Beyond every place. */
const LAST = "9223372036854775807";

interface PageRow {
  readonly found: boolean;
  readonly texts: string | null;
  readonly count: number;
  readonly newest: number | null;
}

const pageOf = ({ found, texts, count, newest }: PageRow, size: number): MessagePage => {
  const more = count > size;
  return { found, texts: more && texts ? texts.slice(0, texts.lastIndexOf(BETWEEN)) : (texts ?? ""), more, newest };
};

/** Reads of the table `messages`. */
export const messageStore = (db: Db, heavy: Db = db) => ({
  pages: async (queries: readonly MessagePageQuery[]): Promise<MessagePage[]> => {
    const rows = await db.rows<PageRow>(MESSAGE_PAGES, [
      plainArray(queries.map(({ conversationId }) => conversationId)),
      plainArray(queries.map(({ accountId }) => accountId)),
      plainArray(queries.map(({ from }) => from?.toISOString() ?? null)),
      plainArray(queries.map(({ offset }) => offset)),
      plainArray(queries.map(({ size }) => size)),
      plainArray(queries.map(({ until }) => until ?? LAST)),
    ]);
    return rows.map((row, index) => pageOf(row, queries[index]?.size ?? 0));
  },
  /** The same for one page that lies far back: it holds up nobody's first page. */
  deepPage: async (query: MessagePageQuery): Promise<MessagePage> => {
    const { conversationId, accountId, from, until = LAST, offset, size } = query;
    const values = [conversationId, accountId, from?.toISOString(), offset, size, until];
    const row = await heavy.one<PageRow>(DEEP_PAGE, values);
    return row ? pageOf(row, size) : NOWHERE;
  },
});
export type MessageStore = ReturnType<typeof messageStore>;
