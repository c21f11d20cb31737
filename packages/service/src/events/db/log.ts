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

/** One look at the log. `oldest`: every transaction below it had ended. */
export interface LogLook {
  readonly rows: readonly LogRow[];
  readonly oldest: bigint | undefined;
}

/** From where on a partition is read. */
export interface Position {
  readonly partition: number;
  readonly seq: number;
}

// Not prepared, as is the reading back: a plan that was made while the log was short would read a long one from end to end.
const LOOK = statement(
  "",
  `select seq, id, account_id, partition, kind, entity_id, pg_snapshot_xmin(pg_current_snapshot())::text as oldest
     from outbox
    where seq > $1
    order by seq
    limit $2`,
);
const LAST = statement(
  "last_log_position",
  `select case when is_called then last_value else last_value - 1 end as seq from log_positions`,
);
const NEXT_TRANSACTION = statement("next_transaction", `select pg_current_xact_id()::text as id`);
const OLDEST_TRANSACTION = statement(
  "oldest_transaction",
  `select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`,
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

/** The table `outbox`, read in its order. */
export const logStore = (db: Db) => ({
  /** The rows beyond a position, as far as they are visible, and what one snapshot says of their gaps. */
  look: async (after: number, limit: number): Promise<LogLook> => {
    const rows = await db.rows<LogRow & { oldest: string }>(LOOK, [after, limit]);
    return { rows, oldest: rows[0] && BigInt(rows[0].oldest) };
  },
  /** The last position drawn. */
  last: async (): Promise<number> => (await db.one<{ seq: number }>(LAST, []))?.seq ?? 0,
  /** The id of a transaction of its own: those that began to write before have lower ones. */
  nextTransaction: async (): Promise<bigint> => BigInt((await db.one<{ id: string }>(NEXT_TRANSACTION, []))?.id ?? 0),
  /** Every transaction below it has ended. */
  oldestTransaction: async (): Promise<bigint> =>
    BigInt((await db.one<{ oldest: string }>(OLDEST_TRANSACTION, []))?.oldest ?? 0),
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
