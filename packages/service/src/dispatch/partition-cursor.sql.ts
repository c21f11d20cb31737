import { statement, type Db } from "@parley/database";
import type { PartitionLease } from "./leases.sql.ts";

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
}

export const createProgressTracker = (): ProgressTracker => {
  // A Set keeps the order of insertion: its first element is the oldest.
  const outstanding = new Set<number>();
  const oldest = (): number | undefined => outstanding.values().next().value;
  return {
    begin: (seq) => void outstanding.add(seq),
    end: (seq) => void outstanding.delete(seq),
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
  private onDrained: (() => void) | undefined;

  constructor(lease: PartitionLease, from: number) {
    this.lease = lease;
    this.taken = from;
    this.saved = from;
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

  /** -> false for an event that was taken in before */
  accept(seq: number): boolean {
    if (seq <= this.taken) return false;
    this.taken = seq;
    this.progress ??= createProgressTracker();
    this.progress.begin(seq);
    return true;
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
