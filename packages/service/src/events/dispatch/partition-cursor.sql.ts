import { statement, type Db } from "@parley/database";
import type { PartitionLease } from "./leases.sql.ts";
import { LOCK_SUBSCRIPTIONS } from "./subscription-locks.sql.ts";

/** Progress of one subscription in one partition. */
export interface SavedCursor {
  readonly subscription_id: string;
  readonly partition: number;
  /** Position up to which all events are done. */
  readonly seq: number;
  /** Positions of later events that are done too. Only the release of a partition saves them: after a crash these events are repeated. */
  readonly done_ahead: readonly number[];
}

/**
 * SQL condition: the subscription has not received the event at a position of the log.
 * @shape cursor: alias of the row of the table `cursors`, which may be absent
 */
export const isToCome = (cursor: string, subscription: string, seq: string): string =>
  `(${seq} > coalesce(${cursor}.seq, ${subscription}.start_seq) and ${seq} <> all (coalesce(${cursor}.done_ahead, '{}')))`;

const READ = statement(
  "read_cursors",
  `select subscription_id, partition, seq, done_ahead
     from cursors
    where subscription_id = any($1::uuid[]) and partition = any($2::smallint[])`,
);
// A lost cursor costs a duplicate delivery, which is allowed: the commit need not wait for the disk. Rows are written in one order, so
// that two processes never wait for each other, and each after the row of its subscription was locked (`LOCK_SUBSCRIPTIONS`).
const SAVE = statement(
  "save_cursors",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   insert into cursors (subscription_id, partition, seq, done_ahead)
   select moved.subscription_id, moved.partition, moved.seq, moved.done_ahead::bigint[]
     from relaxed,
          unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::text[]) as moved (subscription_id, partition, seq, done_ahead)
     join subscriptions on subscriptions.id = moved.subscription_id
    order by moved.subscription_id, moved.partition
      ${LOCK_SUBSCRIPTIONS}
   on conflict (subscription_id, partition) do update
     set seq = excluded.seq, done_ahead = excluded.done_ahead
     where cursors.seq < excluded.seq
        or (cursors.seq = excluded.seq and cardinality(cursors.done_ahead) < cardinality(excluded.done_ahead))`,
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
      // PostgreSQL has no arrays of arrays of different lengths: each inner array is the text of an array.
      cursors.map((cursor) => `{${cursor.done_ahead.join(",")}}`),
    ]);
  },
});
export type CursorStore = ReturnType<typeof cursorStore>;

/** Which events of one partition are outstanding. */
interface ProgressTracker {
  /** Adds an event; called in the order of the log. */
  readonly begin: (seq: number) => void;
  /** Marks an event as done; called in any order. */
  readonly end: (seq: number) => void;
  /** -> the position up to which everything is done, when events were taken in up to `taken` */
  readonly cursor: (taken: number) => number;
  /** -> the oldest event that is not done */
  readonly oldest: () => number | undefined;
  /** -> the events after the oldest one that are done */
  readonly doneAhead: () => readonly number[];
}

export const createProgressTracker = (): ProgressTracker => {
  // A Set keeps the order of insertion: its first element is the oldest.
  const outstanding = new Set<number>();
  const ahead = new Set<number>();
  const oldest = (): number | undefined => outstanding.values().next().value;
  return {
    begin: (seq) => void outstanding.add(seq),
    end(seq) {
      const before = oldest();
      outstanding.delete(seq);
      if (seq !== before) return void ahead.add(seq);
      const first = oldest() ?? Infinity;
      for (const each of ahead) if (each < first) ahead.delete(each);
    },
    doneAhead: () => [...ahead],
    cursor: (taken) => {
      const first = oldest();
      return first === undefined ? taken : first - 1;
    },
    oldest,
  };
};

/**
 * Progress of one subscription in one partition, while this process holds the partition. A class, since a process has 64 of them for each
 * subscription: most never get an event, and then take a few numbers.
 */
export class PartitionCursor {
  readonly lease: PartitionLease;
  private taken: number;
  private saved: number;
  private hasDoneEvent = false;
  private underWay = 0;
  private progress: ProgressTracker | undefined;
  /** Events that the last holder of the partition has done, and that were not taken in yet. */
  private doneBefore: Set<number> | undefined;
  private onDrained: (() => void) | undefined;

  constructor(lease: PartitionLease, { seq, done_ahead }: Pick<SavedCursor, "seq" | "done_ahead">) {
    this.lease = lease;
    this.taken = seq;
    this.saved = seq;
    if (done_ahead.length > 0) this.doneBefore = new Set(done_ahead);
  }

  /** Position up to which events were taken in, at least. */
  position(): number {
    return this.taken;
  }

  /** Position of the oldest event that was taken in and is not done. */
  oldestOutstanding(): number | undefined {
    return this.progress?.oldest();
  }

  advanceTo(reached: number): void {
    this.taken = Math.max(this.taken, reached);
  }

  /** -> false for an event that was taken in before, or that the last holder of the partition has done */
  accept(seq: number): boolean {
    if (seq <= this.taken) return false;
    this.taken = seq;
    this.progress ??= createProgressTracker();
    this.progress.begin(seq);
    if (!this.doneBefore?.delete(seq)) return true;
    this.progress.end(seq);
    return false;
  }

  deliveryStarted(): void {
    this.underWay += 1;
  }

  /** A delivery ended: the event is done, or left to the next holder of the partition. */
  deliveryEnded(seq: number, isDone: boolean): void {
    this.underWay -= 1;
    if (isDone) {
      this.progress?.end(seq);
      this.hasDoneEvent = true;
    }
    if (this.underWay === 0) this.onDrained?.();
  }

  /** Resolves when no delivery is under way. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.underWay === 0) resolve();
      else this.onDrained = resolve;
    });
  }

  /** Position up to which all events are done; `takenUpTo`: the queue has taken in all events up to there. */
  doneUpTo(takenUpTo: number): number {
    const taken = Math.max(takenUpTo, this.taken);
    return this.progress?.cursor(taken) ?? taken;
  }

  /** -> the events after `doneUpTo` that are done */
  doneAhead(): number[] {
    const notTakenIn = [...(this.doneBefore ?? [])].filter((seq) => seq > this.taken);
    return [...(this.progress?.doneAhead() ?? []), ...notTakenIn];
  }

  /**
   * -> the cursor when it is worth saving, because an event was done or because it passed `idleLag` positions of other accounts; it counts
   * as saved then
   */
  takeUnsaved(takenUpTo: number, idleLag: number): number | undefined {
    const reached = this.doneUpTo(takenUpTo);
    if (reached <= this.saved || (!this.hasDoneEvent && reached - this.saved < idleLag)) return undefined;
    this.saved = reached;
    this.hasDoneEvent = false;
    return reached;
  }
}
