import { statement, type Db } from "@parley/database";
import { DOCUMENT_KINDS, type DocumentKind } from "./documents.ts";

/** Blocks of a table that one step of the backfill walks over. @units 8 kB */
const BLOCKS_PER_STEP = 512;

const TABLES: Readonly<Record<DocumentKind, { readonly table: string; readonly source: string }>> = {
  [DOCUMENT_KINDS.messages]: {
    table: "messages",
    source: `select c.account_id, d.created_time, d.id
               from (select * from messages where ctid >= $1::text::tid and ctid < $2::text::tid) d
              cross join lateral (select account_id from conversations where id = d.conversation_id limit 1) c`,
  },
  [DOCUMENT_KINDS.users]: {
    table: "users",
    source: `select account_id, created_time, id from users
              where ctid >= $1::text::tid and ctid < $2::text::tid and deleted_time is null`,
  },
  [DOCUMENT_KINDS.conversations]: {
    table: "conversations",
    source: `select account_id, created_time, id from conversations where ctid >= $1::text::tid and ctid < $2::text::tid`,
  },
};

// Unprepared: a generic plan does not know that the range is small.
const walk = (kind: DocumentKind) =>
  statement(
    "",
    `insert into search_queue (kind, is_bulk, account_id, created_time, id)
     select ${kind}, true, account_id, created_time, id from (${TABLES[kind].source}) document
         on conflict (is_bulk, account_id, kind, created_time, id) do nothing`,
  );
const PENDING = statement(
  "pending_search_backfill",
  `select kind, next_block from search_backfill where not is_done order by kind desc limit 1`,
);
const ADVANCE = statement(
  "",
  `update search_backfill
      set next_block = $2::bigint,
          is_done = $2::bigint >= pg_relation_size($3::text::regclass) / current_setting('block_size')::bigint
    where kind = $1`,
);
const NEXT = statement(
  "next_search_queue",
  `select account_id, kind from search_queue where is_bulk = $1 order by account_id, kind limit 1`,
);
// By the places of the rows, since a join may compare each row with each.
const TAKE = statement(
  "take_search_queue",
  `delete from search_queue
    where ctid = any(array(
            select ctid from search_queue
             where is_bulk = $1 and account_id = $2 and kind = $3
             order by created_time desc, id desc
             limit $4))
   returning id`,
);
const LAST = statement(
  "last_search_queue",
  `select case when is_called then last_value else 0 end as position from search_queue_position_seq`,
);
const IS_LEFT = statement(
  "",
  `select exists (select from search_queue where position <= $1) or exists (select from search_backfill where not is_done) as is_left`,
);

/** Documents of an account and kind that wait in the queue. */
export interface QueuedGroup {
  readonly account_id: number;
  readonly kind: DocumentKind;
}

/** The queue of documents without an event, and the walk over the rows that existed before. */
export const backlogStore = (db: Db) => ({
  /** Queues the rows of the next blocks. -> false: everything is queued */
  walk: async (): Promise<boolean> => {
    const pending = await db.one<{ kind: DocumentKind; next_block: number }>(PENDING, []);
    if (!pending) return false;
    const { kind, next_block: from } = pending;
    const to = from + BLOCKS_PER_STEP;
    await db.rows(walk(kind), [`(${from},0)`, `(${to},0)`]);
    await db.rows(ADVANCE, [kind, to, TABLES[kind].table]);
    return true;
  },
  /** -> undefined: nothing of this kind is queued */
  next: (isBulk: boolean) => db.one<QueuedGroup>(NEXT, [isBulk]),
  /** Takes the newest documents of a group. -> their ids */
  take: async (isBulk: boolean, { account_id, kind }: QueuedGroup, limit: number): Promise<readonly string[]> =>
    (await db.rows<{ id: string }>(TAKE, [isBulk, account_id, kind, limit])).map(({ id }) => id),
  /** Position of the last queued document. */
  last: async (): Promise<number> => (await db.one<{ position: number }>(LAST, []))?.position ?? 0,
  isDone: async (upTo: number): Promise<boolean> =>
    (await db.one<{ is_left: boolean }>(IS_LEFT, [upTo]))?.is_left === false,
});
