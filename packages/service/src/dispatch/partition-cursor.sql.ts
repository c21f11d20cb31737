import { statement, type Db } from "@parley/database";

/** Progress of one subscription in one partition. */
export interface SavedCursor {
  readonly subscription_id: string;
  readonly partition: number;
  readonly seq: number;
}

const READ = statement(
  "read_cursors",
  `select subscription_id, partition, seq from cursors where subscription_id = any($1::uuid[]) and partition = any($2::smallint[])`,
);
// A lost cursor costs a duplicate delivery, which is allowed: the commit need not wait for the disk. Rows are written in one order, so
// that two processes never wait for each other.
const SAVE = statement(
  "save_cursors",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   insert into cursors (subscription_id, partition, seq)
   select moved.subscription_id, moved.partition, moved.seq
     from relaxed, unnest($1::uuid[], $2::smallint[], $3::bigint[]) as moved (subscription_id, partition, seq)
     join subscriptions on subscriptions.id = moved.subscription_id
    order by moved.subscription_id, moved.partition
   on conflict (subscription_id, partition) do update set seq = excluded.seq where cursors.seq < excluded.seq`,
);
/** Rows of the table `cursors`. */
export const cursorStore = (db: Db) => ({
  read: (subscriptions: readonly string[], partitions: readonly number[]): Promise<SavedCursor[]> =>
    db.rows<SavedCursor>(READ, [subscriptions, partitions]),
  /** Moves cursors forward, never back. */
  save: async (cursors: readonly SavedCursor[]): Promise<void> => {
    if (cursors.length === 0) return;
    await db.rows(SAVE, [
      cursors.map((cursor) => cursor.subscription_id),
      cursors.map((cursor) => cursor.partition),
      cursors.map((cursor) => cursor.seq),
    ]);
  },
});
export type CursorStore = ReturnType<typeof cursorStore>;
