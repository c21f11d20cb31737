import { statement, type Db } from "@parley/database";

/** How far one subscription has come in one partition. */
export interface Cursor {
  readonly subscription_id: string;
  readonly partition: number;
  readonly seq: number;
}

/** An event that was given up. */
export interface DeadLetter {
  readonly subscription_id: string;
  readonly seq: number;
  readonly event_id: string;
  readonly tries: number;
  readonly reason: string;
  readonly failed_time: Date;
}

const READ = statement(
  "read_cursors",
  `select subscription_id, partition, seq from cursors where subscription_id = any($1::uuid[]) and partition = any($2::smallint[])`,
);
// A cursor that is lost costs a second delivery, which is allowed: its commit need not wait for the disk.
const SAVE = statement(
  "save_cursors",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   insert into cursors (subscription_id, partition, seq)
   select moved.subscription_id, moved.partition, moved.seq
     from relaxed, unnest($1::uuid[], $2::smallint[], $3::bigint[]) as moved (subscription_id, partition, seq)
     join subscriptions on subscriptions.id = moved.subscription_id
   on conflict (subscription_id, partition) do update set seq = excluded.seq where cursors.seq < excluded.seq`,
);
const BURY = statement(
  "bury_event",
  `insert into dead_letters (subscription_id, seq, event_id, tries, reason, failed_time)
   select id, $2, $3::uuid, $4, $5, $6 from subscriptions where id = $1
   on conflict (subscription_id, seq) do update
     set tries = excluded.tries, reason = excluded.reason, failed_time = excluded.failed_time`,
);

/** Rows of the tables `cursors` and `dead_letters`. */
export const cursorStore = (db: Db) => ({
  read: (subscriptions: readonly string[], partitions: readonly number[]): Promise<Cursor[]> =>
    db.rows<Cursor>(READ, [subscriptions, partitions]),
  /** Moves cursors on, never back. */
  save: async (cursors: readonly Cursor[]): Promise<void> => {
    if (cursors.length === 0) return;
    await db.rows(SAVE, [
      cursors.map((cursor) => cursor.subscription_id),
      cursors.map((cursor) => cursor.partition),
      cursors.map((cursor) => cursor.seq),
    ]);
  },
  bury: async (letter: DeadLetter): Promise<void> => {
    await db.rows(BURY, [
      letter.subscription_id,
      letter.seq,
      letter.event_id,
      letter.tries,
      letter.reason,
      letter.failed_time,
    ]);
  },
});
export type CursorStore = ReturnType<typeof cursorStore>;
