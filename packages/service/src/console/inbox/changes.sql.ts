import { arrayLiteral, statement, type Db } from "@parley/database";

const NOTE = statement(
  "note_inbox_changes",
  `insert into inbox_changes (conversation_id, is_whole) select id, true from unnest($1::uuid[]) as changed (id)`,
);

/** Notes conversations whose state or messages change without an event, in the transaction of the change. */
export const noteInboxChanges = (tx: Db, conversationIds: Iterable<string>): Promise<unknown> =>
  tx.rows(NOTE, [arrayLiteral([...conversationIds])]);

interface InboxChange {
  readonly id: number;
  readonly conversation_id: string;
  /** The messages have changed, too. */
  readonly is_whole: boolean;
}

const FIRST = statement(
  "first_inbox_changes",
  `select id, conversation_id, is_whole from inbox_changes order by id limit $1`,
);
const REMOVE = statement("remove_inbox_changes", `delete from inbox_changes where id = any($1::bigint[])`);
const LAST = statement("last_inbox_change", `select id from inbox_changes order by id desc limit 1`);
const IS_DONE = statement(
  "are_inbox_changes_done",
  `select not exists (select from inbox_changes where id <= $1) and not exists (select from inbox_backfill) as is_done`,
);
const NEXT_BACKFILL = statement(
  "next_inbox_backfill",
  `select c.id
     from inbox_backfill
    cross join lateral (select id from conversations where id > inbox_backfill.conversation_id order by id limit $1) c`,
);
const MOVE_BACKFILL = statement("move_inbox_backfill", `update inbox_backfill set conversation_id = $1`);
const END_BACKFILL = statement("end_inbox_backfill", `delete from inbox_backfill`);

/** Conversations whose change is not in the log, and those of earlier releases that are not entered yet. */
export const changeStore = (db: Db) => ({
  first: (limit: number): Promise<InboxChange[]> => db.rows<InboxChange>(FIRST, [limit]),
  remove: (ids: readonly number[]): Promise<unknown> => db.rows(REMOVE, [arrayLiteral(ids)]),
  last: async (): Promise<number> => Number((await db.one<{ id: number }>(LAST, []))?.id ?? 0),
  isDone: async (upTo: number): Promise<boolean> =>
    (await db.one<{ is_done: boolean }>(IS_DONE, [upTo]))?.is_done ?? true,
  /** The next conversations of earlier releases; the backfill is past them then. */
  async takeBackfill(limit: number): Promise<readonly string[]> {
    const ids = (await db.rows<{ id: string }>(NEXT_BACKFILL, [limit])).map(({ id }) => id);
    const last = ids.at(-1);
    await (ids.length < limit || last === undefined ? db.rows(END_BACKFILL, []) : db.rows(MOVE_BACKFILL, [last]));
    return ids;
  },
});
