import type { LogPosition, LogRow } from "../../base/log/store.ts";
import type { DispatchRules } from "./dispatch-rules.ts";
import type { PartitionLease } from "./leases.sql.ts";
import { PartitionCursor, type SavedCursor } from "./partition-cursor.sql.ts";

/** Queue that lets one item of each entity run at a time, in order, and items of different entities side by side. */
interface EntityQueue<T> {
  push(item: T): void;
  /** -> the item that has waited longest of those that may start; undefined when no item may start */
  take(): T | undefined;
  /** Marks an item as finished: the next item of its entity may start. */
  done(item: T): void;
  /** Removes the waiting items that match. */
  drop(matches: (item: T) => boolean): void;
  /** Items that wait or are under way. */
  size(): number;
}

export const createEntityQueue = <T>(entityOf: (item: T) => string, maxRunning: number): EntityQueue<T> => {
  let ready: T[] = [];
  /** An entry for each entity with an item that is ready or under way: the items that wait behind it. */
  const behind = new Map<string, T[]>();
  let running = 0;
  let size = 0;

  const advance = (entity: string): void => {
    const next = behind.get(entity)?.shift();
    if (next === undefined) behind.delete(entity);
    else ready.push(next);
  };

  return {
    push(item) {
      size += 1;
      const entity = entityOf(item);
      const waiting = behind.get(entity);
      if (waiting) waiting.push(item);
      else {
        behind.set(entity, []);
        ready.push(item);
      }
    },
    take() {
      if (running >= maxRunning) return undefined;
      const item = ready.shift();
      if (item !== undefined) running += 1;
      return item;
    },
    done(item) {
      running -= 1;
      size -= 1;
      advance(entityOf(item));
    },
    drop(matches) {
      for (const [entity, items] of behind) {
        const remaining = items.filter((item) => !matches(item));
        size -= items.length - remaining.length;
        behind.set(entity, remaining);
      }
      const dropped = ready.filter(matches);
      ready = ready.filter((item) => !matches(item));
      size -= dropped.length;
      for (const item of dropped) advance(entityOf(item));
    },
    size: () => size,
  };
};

/**
 * Events of one account on their way to one subscription, in the partitions that this process holds.
 *
 * States: current (each final row was taken in when it was offered) and behind (rows are read back from the log while there is room in
 * memory). A queue starts behind; it becomes current when it has read up to the high-watermark, and falls behind when its backlog is full.
 */
export interface SubscriptionQueue {
  /** Serves partitions, each from its cursor. */
  open(
    partitions: readonly {
      readonly lease: PartitionLease;
      readonly cursor: Pick<SavedCursor, "seq" | "done_ahead">;
    }[],
  ): void;
  serves(lease: PartitionLease): boolean;
  /** Stops serving a partition. -> its cursor, once no delivery of it is under way */
  release(partition: number): Promise<SavedCursor | undefined>;
  releaseAll(): Promise<SavedCursor[]>;
  /** Takes in events of the account that became final after the position `from`, or falls behind. */
  offer(rows: readonly LogRow[], from: number): void;
  /** While the queue is behind: reads on from the log. */
  catchUp(): void;
  backlog(): QueueBacklog;
  /** Cursors that moved since the last call because an event was done, or by `idleLag` positions or more. */
  takeUnsaved(idleLag: number): SavedCursor[];
}

/** Events that a subscription has not received yet, as far as they were read from the log. */
export interface QueueBacklog {
  readonly events: number;
  /** Position of the oldest event. */
  readonly oldest: number | undefined;
}

interface SubscriptionQueueDeps {
  readonly subscriptionId: string;
  readonly rules: DispatchRules;
  readonly highWatermark: () => number | undefined;
  readonly readBack: (from: readonly LogPosition[], upTo: number, limit: number) => Promise<readonly LogRow[]>;
  /** Delivers one event, however long that takes. -> false when the signal ended it before */
  readonly deliver: (event: LogRow, signal: AbortSignal) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

interface QueuedEvent {
  readonly event: LogRow;
  readonly cursor: PartitionCursor;
}

export const createSubscriptionQueue = ({
  subscriptionId,
  rules,
  highWatermark,
  readBack,
  deliver,
  onError,
}: SubscriptionQueueDeps): SubscriptionQueue => {
  const cursors = new Map<number, PartitionCursor>();
  const queue = createEntityQueue<QueuedEvent>(({ event }) => event.entity_id, rules.concurrency);
  /** Cursors of partitions in which an event was done since they were saved. */
  const moved = new Set<PartitionCursor>();
  let isBehind = true;
  let isReading = false;
  /** Position at which the cursors that only passed events of other accounts were looked at last. */
  let lastIdleSave = 0;

  /** Position up to which the queue has taken in everything: the high-watermark, while the queue is current. */
  const takenUpTo = (): number => (isBehind ? 0 : (highWatermark() ?? 0));

  const fallBehind = (at: number): void => {
    if (!isBehind) for (const cursor of cursors.values()) cursor.advanceTo(at);
    isBehind = true;
  };

  const run = async (item: QueuedEvent): Promise<void> => {
    const { event, cursor } = item;
    cursor.deliveryStarted();
    const isDone = await deliver(event, cursor.lease.signal).catch((error: unknown) => {
      onError(error);
      return false;
    });
    queue.done(item);
    cursor.deliveryEnded(event.seq, isDone);
    // A released cursor is saved by its release; later, the position that is read for it passes events of its successor.
    if (isDone && cursors.get(cursor.lease.partition) === cursor) moved.add(cursor);
    startDeliveries();
    catchUp();
  };

  const startDeliveries = (): void => {
    for (let item = queue.take(); item; item = queue.take()) void run(item);
  };

  const takeIn = (rows: readonly LogRow[]): void => {
    for (const event of rows) {
      const cursor = cursors.get(event.partition);
      if (cursor?.accept(event.seq)) queue.push({ event, cursor });
    }
    startDeliveries();
  };

  const hasRoom = (): boolean => queue.size() <= rules.backlog / 2;

  /** Reads one batch from the log. -> whether the next batch should be read at once */
  const readBatch = async (upTo: number): Promise<boolean> => {
    const readCursors = [...cursors.values()];
    const from = readCursors.map((cursor) => ({ partition: cursor.lease.partition, seq: cursor.position() }));
    const rows = await readBack(from, upTo, rules.batch);
    const last = rows.length < rules.batch ? upTo : (rows.at(-1)?.seq ?? upTo);
    // A partition released during the read may have been opened again with another cursor.
    const unchanged = readCursors.filter((cursor) => cursors.get(cursor.lease.partition) === cursor);
    takeIn(rows.filter((row) => unchanged.some(({ lease }) => lease.partition === row.partition)));
    for (const cursor of unchanged) if (cursors.get(cursor.lease.partition) === cursor) cursor.advanceTo(last);
    if ([...cursors.values()].some((cursor) => cursor.position() < (highWatermark() ?? 0))) return hasRoom();
    isBehind = false;
    return false;
  };

  const readAll = async (): Promise<void> => {
    for (let upTo = highWatermark(); upTo !== undefined && cursors.size > 0; upTo = highWatermark())
      if (!(await readBatch(upTo))) return;
  };

  const catchUp = (): void => {
    if (!isBehind || isReading || !hasRoom()) return;
    isReading = true;
    void readAll()
      .catch(onError)
      .finally(() => {
        isReading = false;
      });
  };

  const release = async (partition: number): Promise<SavedCursor | undefined> => {
    const cursor = cursors.get(partition);
    if (!cursor) return undefined;
    cursor.advanceTo(takenUpTo());
    cursors.delete(partition);
    moved.delete(cursor);
    queue.drop((item) => item.cursor === cursor);
    await cursor.drained();
    return { subscription_id: subscriptionId, partition, seq: cursor.doneUpTo(0), done_ahead: cursor.doneAhead() };
  };

  return {
    open(partitions) {
      fallBehind(takenUpTo());
      for (const { lease, cursor } of partitions) cursors.set(lease.partition, new PartitionCursor(lease, cursor));
      catchUp();
    },
    serves: (lease) => cursors.get(lease.partition)?.lease === lease,
    release,
    releaseAll: async () => {
      const released = await Promise.all([...cursors.keys()].map(release));
      return released.filter((cursor) => cursor !== undefined);
    },
    offer(rows, from) {
      if (!isBehind && queue.size() + rows.length <= rules.backlog) return takeIn(rows);
      fallBehind(from);
      catchUp();
    },
    catchUp,
    backlog() {
      const events = queue.size();
      if (events === 0) return { events, oldest: undefined };
      const outstanding = [...cursors.values()].flatMap((cursor) => cursor.oldestOutstanding() ?? []);
      return { events, oldest: outstanding.length === 0 ? undefined : Math.min(...outstanding) };
    },
    takeUnsaved(idleLag) {
      const reached = takenUpTo();
      const isIdleSaveDue = isBehind || reached - lastIdleSave >= idleLag;
      const due = isIdleSaveDue ? [...cursors.values()] : [...moved];
      if (isIdleSaveDue) lastIdleSave = reached;
      const unsaved: SavedCursor[] = [];
      for (const cursor of due) {
        const seq = cursor.takeUnsaved(reached, idleLag);
        const { partition } = cursor.lease;
        if (seq !== undefined) unsaved.push({ subscription_id: subscriptionId, partition, seq, done_ahead: [] });
      }
      // An event that is done behind one under way moves the cursor when that one is done.
      moved.clear();
      return unsaved;
    },
  };
};
