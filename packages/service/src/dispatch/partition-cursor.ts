import type { PartitionLease } from "./leases.ts";

/** Which events of one partition are outstanding. */
interface ProgressTracker {
  /** Adds an event; called in the order of the log. */
  readonly begin: (seq: number) => void;
  /** Marks an event as done; called in any order. */
  readonly end: (seq: number) => void;
  /** -> the position up to which everything is done, when events were taken in up to `taken` */
  readonly cursor: (taken: number) => number;
}

export const createProgressTracker = (): ProgressTracker => {
  // A Set keeps the order of insertion: its first element is the oldest.
  const outstanding = new Set<number>();
  return {
    begin: (seq) => void outstanding.add(seq),
    end: (seq) => void outstanding.delete(seq),
    cursor: (taken) => {
      const [oldest] = outstanding;
      return oldest === undefined ? taken : oldest - 1;
    },
  };
};

/** Progress of one subscription in one partition, while this process holds the partition. */
export interface PartitionCursor {
  readonly lease: PartitionLease;
  /** Position up to which events were taken in, at least. */
  position(): number;
  advanceTo(position: number): void;
  /** -> false for an event that was taken in before */
  accept(seq: number): boolean;
  deliveryStarted(): void;
  /** A delivery ended: the event is done, or left to the next holder of the partition. */
  deliveryEnded(seq: number, isDone: boolean): void;
  /** Resolves when no delivery is under way. */
  drained(): Promise<void>;
  /** Position up to which all events are done; `takenUpTo`: the queue has taken in all events up to there. */
  doneUpTo(takenUpTo: number): number;
  /**
   * -> the cursor when it is worth saving, because an event was done or because it passed `idleLag` positions of other accounts; it counts
   * as saved then
   */
  takeUnsaved(takenUpTo: number, idleLag: number): number | undefined;
}

export const createPartitionCursor = (lease: PartitionLease, from: number): PartitionCursor => {
  const progress = createProgressTracker();
  let position = from;
  let saved = from;
  let hasDoneEvent = false;
  let underWay = 0;
  let onDrained: (() => void) | undefined;

  const doneUpTo = (takenUpTo: number) => progress.cursor(Math.max(takenUpTo, position));
  return {
    lease,
    position: () => position,
    advanceTo: (reached) => {
      position = Math.max(position, reached);
    },
    accept: (seq) => {
      if (seq <= position) return false;
      position = seq;
      progress.begin(seq);
      return true;
    },
    deliveryStarted: () => {
      underWay += 1;
    },
    deliveryEnded: (seq, isDone) => {
      underWay -= 1;
      if (isDone) {
        progress.end(seq);
        hasDoneEvent = true;
      }
      if (underWay === 0) onDrained?.();
    },
    drained: () =>
      new Promise((resolve) => {
        if (underWay === 0) resolve();
        else onDrained = resolve;
      }),
    doneUpTo,
    takeUnsaved: (takenUpTo, idleLag) => {
      const reached = doneUpTo(takenUpTo);
      if (reached <= saved || (!hasDoneEvent && reached - saved < idleLag)) return undefined;
      saved = reached;
      hasDoneEvent = false;
      return reached;
    },
  };
};
