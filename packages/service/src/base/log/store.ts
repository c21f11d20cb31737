import type { StreamEventKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";

/** Partitions of the log: the most processes that can share its delivery. */
export const PARTITIONS = 64;

/** Partition of an entity's events. All events of one entity are in one partition, which keeps their order. */
export const partitionOf = (entityId: string): number => Number.parseInt(entityId.slice(-2), 16) % PARTITIONS;

/** The columns of an event that its delivery is scheduled by; the payload is read when the event is sent. */
export interface LogRow {
  readonly seq: number;
  readonly id: string;
  readonly account_id: number;
  readonly partition: number;
  readonly kind: StreamEventKind;
  readonly entity_id: string;
  /** The user of the conversation, the user itself, or the recipient. */
  readonly user_id: string;
}

/** Position in one partition. */
export interface LogPosition {
  readonly partition: number;
  readonly seq: number;
}

const READ_AFTER = statement(
  "log_after",
  `select seq, id, account_id, partition, kind, entity_id, user_id
     from outbox
    where seq > $1
    order by seq
    limit $2`,
);
const LAST = statement(
  "last_log_position",
  `select case when is_called then last_value else last_value - 1 end as seq from log_positions`,
);
// A writer holds this lock from before it draws a position until its rows are visible or rolled back. Transaction ids would not do: they
// are shared by all databases of the server, so a long transaction in another database would hold up the end of the log.
const WRITERS = statement(
  "log_writers",
  `select virtualtransaction as writer
     from pg_locks
    where locktype = 'relation' and relation = 'outbox'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`,
);
// Not prepared: which of the indexes is the better one depends on how far the partitions are behind.
const READ_BACK = statement(
  "",
  `select outbox.seq, outbox.id, outbox.account_id, outbox.partition, outbox.kind, outbox.entity_id, outbox.user_id
     from unnest($2::smallint[], $3::bigint[]) as place (partition, seq)
     join outbox on outbox.partition = place.partition and outbox.seq > place.seq
    where outbox.account_id = $1 and outbox.seq > $4 and outbox.seq <= $5
    order by outbox.seq
    limit $6`,
);

/** The transactions that write the table `outbox`: each may have drawn positions that are not visible yet. */
export const logWriters = async (db: Db): Promise<string[]> =>
  (await db.rows<{ writer: string }>(WRITERS, [])).map(({ writer }) => writer);

/**
 * Reads of the table `outbox` in the order of its positions.
 * @shape keyed: with `KEYED_PLANS`: with another plan, made while the log was short, the newest rows would be found by a scan of the whole log
 */
export const logStore = ({ keyed, other }: { readonly keyed: Db; readonly other: Db }) => ({
  /** The visible rows after a position. */
  readAfter: (after: number, limit: number): Promise<LogRow[]> => keyed.rows<LogRow>(READ_AFTER, [after, limit]),
  /** The last position that was drawn. */
  lastPosition: async (): Promise<number> => (await keyed.one<{ seq: number }>(LAST, []))?.seq ?? 0,
  runningWriters: (): Promise<string[]> => logWriters(keyed),
  /** An account's events in some partitions, each partition from its own position, up to a final position. */
  readBack: (accountId: number, places: readonly LogPosition[], upTo: number, limit: number): Promise<LogRow[]> =>
    other.rows<LogRow>(READ_BACK, [
      accountId,
      places.map(({ partition }) => partition),
      places.map(({ seq }) => seq),
      Math.min(...places.map(({ seq }) => seq)),
      upTo,
      limit,
    ]),
});
export type LogStore = ReturnType<typeof logStore>;

const ERASE_CHANGES = statement(
  "erase_user_changes",
  `update outbox set changes = null where entity_id = $1 and kind = 'user_update'`,
);

/** Erases the changed fields of a user from the user's events. */
export const eraseChanges = (tx: Db, userId: string): Promise<unknown> => tx.rows(ERASE_CHANGES, [userId]);

/** SQL expression of each column of a new row of the table `outbox`. */
interface LogColumns {
  readonly seq?: string;
  readonly id: string;
  readonly account_id: string;
  readonly partition: string;
  /** The literal of one kind, or a column of the source. */
  readonly kind: `'${StreamEventKind}'` | "kind";
  readonly entity_id: string;
  readonly created_time: string;
  readonly actor_type: string;
  readonly actor_id?: string;
  readonly user_id?: string;
  readonly user_revision?: string;
  readonly conversation_revision?: string;
  readonly message_id?: string;
  readonly changes?: string;
  /** Of the request or job that caused the event. */
  readonly trace_parent: string;
}

/** An event with the span that causes it (W3C `traceparent`). */
export interface TracedEvent {
  readonly event_id: string;
  readonly trace_parent?: string | undefined;
}

/** The column `trace_parent` of events. @shape parameter: number of the value of `traceParents` */
export const traceParentOf = (parameter: number, eventId: string): string => `$${parameter}::json ->> ${eventId}::text`;

/** Traces by the ids of events, as JSON text; null if no event belongs to a trace, which is usual. */
export const traceParents = (events: readonly TracedEvent[]): string | null => {
  const traced = events.flatMap(({ event_id, trace_parent }) =>
    trace_parent === undefined ? [] : [[event_id, trace_parent] as const],
  );
  return traced.length === 0 ? null : JSON.stringify(Object.fromEntries(traced));
};

/**
 * Statement that appends events to the log. A statement that does not draw the log position itself draws it here.
 * @shape source: the `from` clause that supplies one row per event
 */
export const appendToLog = ({ seq = "nextval('log_positions')", ...columns }: LogColumns, source: string): string =>
  `insert into outbox (seq, ${Object.keys(columns).join(", ")})
     select ${seq}, ${Object.values(columns).join(", ")}
     ${source}`;
