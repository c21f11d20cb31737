import { statement, type Db } from "@parley/database";

/** What is needed of an event to bring it on its way; the rest is read when it is sent. */
export interface LogRow {
  readonly seq: number;
  readonly id: string;
  readonly account_id: number;
  readonly partition: number;
  readonly kind: string;
  readonly entity_id: string;
}

/** From where on a partition is read. */
export interface Position {
  readonly partition: number;
  readonly seq: number;
}

// Not prepared, as is the reading back: a plan that was made while the log was short would read a long one from end to end.
const LOOK = statement(
  "",
  `select seq, id, account_id, partition, kind, entity_id
     from outbox
    where seq > $1
    order by seq
    limit $2`,
);
const LAST = statement(
  "last_log_position",
  `select case when is_called then last_value else last_value - 1 end as seq from log_positions`,
);
// A writer holds this lock from before it draws a position until what it wrote is visible, or never will be. Ids of transactions would
// not do: they are the whole server's, so that a long transaction in another database would hold up the log's end.
const WRITERS = statement(
  "log_writers",
  `select virtualtransaction as writer
     from pg_locks
    where locktype = 'relation' and relation = 'outbox'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`,
);
const READ_BACK = statement(
  "",
  `select outbox.seq, outbox.id, outbox.account_id, outbox.partition, outbox.kind, outbox.entity_id
     from unnest($2::smallint[], $3::bigint[]) as place (partition, seq)
     join outbox on outbox.partition = place.partition and outbox.seq > place.seq
    where outbox.account_id = $1 and outbox.seq > $4 and outbox.seq <= $5
    order by outbox.seq
    limit $6`,
);

/** The transactions that write the table `outbox`: each of them may have drawn positions that nobody sees yet. */
export const logWriters = async (db: Db): Promise<string[]> =>
  (await db.rows<{ writer: string }>(WRITERS, [])).map(({ writer }) => writer);

/** The table `outbox`, read in its order. */
export const logStore = (db: Db) => ({
  /** The rows beyond a position, as far as they are visible. */
  look: (after: number, limit: number): Promise<LogRow[]> => db.rows<LogRow>(LOOK, [after, limit]),
  /** The last position drawn. */
  last: async (): Promise<number> => (await db.one<{ seq: number }>(LAST, []))?.seq ?? 0,
  writers: (): Promise<string[]> => logWriters(db),
  /** An account's events of some partitions, each from its place on, up to a position that is final. */
  readBack: (accountId: number, places: readonly Position[], upTo: number, limit: number): Promise<LogRow[]> =>
    db.rows<LogRow>(READ_BACK, [
      accountId,
      places.map(({ partition }) => partition),
      places.map(({ seq }) => seq),
      Math.min(...places.map(({ seq }) => seq)),
      upTo,
      limit,
    ]),
});
export type LogStore = ReturnType<typeof logStore>;
