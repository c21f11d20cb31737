import { isNativeError } from "node:util/types";
import { publishBatch } from "./batch-events.ts";
import { isConnectionLost, isDegraded, isTimedOut, TIMED_OUT_ITEMS_MAX, QueueFull } from "./errors/failure.ts";

/** Options of batched writes. */
export interface GroupCommitOptions<I, O> {
  /** Name of the items, for measurements. */
  readonly name: string;
  /** Maximum number of items per transaction. Default: 128. */
  readonly maxBatch?: number;
  /** Maximum number of queued items. Default: 4096. */
  readonly maxQueue?: number;
  /**
   * When a batch is lost after more than this time, the items that waited behind it are refused: the server accepted it and did not answer,
   * and each further batch would wait as long. Default: 2 s. @units milliseconds
   */
  readonly maxLostWaitMs?: number;
  /** Commits the items in one transaction and returns a result for each, in order. Throws only if nothing was committed. */
  readonly run: (items: readonly I[]) => Promise<readonly (O | Error)[]>;
  /** Items of the same key are committed in separate transactions, in order. */
  readonly keyOf?: (item: I) => string;
}

export interface GroupCommit<I, O> {
  /**
   * Settles after the item's transaction.
   * @errors QueueFull; the item's error from `run`; for the whole batch, a lost connection or a degraded server
   */
  submit(item: I): Promise<O>;
  /** Accepts no more items; resolves when the last item is settled. */
  close(): Promise<void>;
}

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes the oldest items out of the queue, at most one of each key. Skipped items keep their order. */
function takeBatch<I, O>(queue: Entry<I, O>[], maxBatch: number, keyOf?: (item: I) => string): Entry<I, O>[] {
  if (!keyOf) return queue.splice(0, maxBatch);
  const batch: Entry<I, O>[] = [];
  const skipped: Entry<I, O>[] = [];
  const keys = new Set<string>();
  let taken = 0;
  for (; taken < queue.length && batch.length < maxBatch; taken++) {
    const entry = queue[taken] as Entry<I, O>;
    const key = keyOf(entry.item);
    (keys.has(key) ? skipped : batch).push(entry);
    keys.add(key);
  }
  queue.splice(0, taken, ...skipped);
  return batch;
}

/** Runs one transaction at a time, with the items that arrived during the previous transaction. */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): GroupCommit<I, O> {
  const { name, maxBatch = 128, maxQueue = 4096, maxLostWaitMs = 2_000, run, keyOf } = options;
  const queue: Entry<I, O>[] = [];
  let draining: Promise<void> | undefined;
  let closed = false;

  const drain = async () => {
    // Items of requests that were parsed in the same tick share the first batch.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = takeBatch(queue, maxBatch, keyOf);
      publishBatch({ kind: "write", name, items: batch.length, waiting: queue.length });
      const beganAt = performance.now();
      const isLost = await settle(batch, run);
      const tookMs = performance.now() - beganAt;
      if (isLost && tookMs > maxLostWaitMs)
        refuse(queue.splice(0), new QueueFull(`the server did not answer earlier writes for ${Math.round(tookMs)} ms`));
    }
    draining = undefined;
  };

  return {
    submit: (item) =>
      new Promise<O>((resolve, reject) => {
        if (closed) return reject(new Error("this group commit is closed"));
        if (queue.length >= maxQueue) return reject(new QueueFull(`${maxQueue} writes wait already`));
        queue.push({ item, resolve, reject });
        draining ??= drain();
      }),
    close: async () => {
      closed = true;
      await draining;
    },
  };
}

/** Runs a batch and settles its entries. -> whether the connection was lost */
async function settle<I, O>(batch: readonly Entry<I, O>[], run: GroupCommitOptions<I, O>["run"]): Promise<boolean> {
  try {
    settleEntries(batch, await run(batch.map((entry) => entry.item)));
  } catch (error) {
    if (batch.length === 1 || isConnectionLost(error) || isDegraded(error)) {
      refuse(batch, error);
      return isConnectionLost(error);
    }
    let timedOut = 0;
    for (const [index, entry] of batch.entries()) {
      try {
        settleEntries([entry], await run([entry.item]));
      } catch (own) {
        timedOut += isTimedOut(own) ? 1 : 0;
        // The remaining items would fail for the same reason, each after its own timeout.
        if (isConnectionLost(own) || isDegraded(own) || timedOut >= TIMED_OUT_ITEMS_MAX) {
          refuse(batch.slice(index), own);
          return isConnectionLost(own);
        }
        entry.reject(own);
      }
    }
  }
  return false;
}

function settleEntries<I, O>(batch: readonly Entry<I, O>[], outputs: readonly (O | Error)[]): void {
  if (outputs.length !== batch.length)
    return refuse(batch, new Error(`a batch of ${batch.length} items was answered with ${outputs.length}`));
  batch.forEach((entry, index) => {
    const output = outputs[index] as O | Error;
    // `instanceof` fails for errors of another realm, as tests create them.
    if (isNativeError(output)) entry.reject(output);
    else entry.resolve(output);
  });
}

function refuse<I, O>(batch: readonly Entry<I, O>[], error: unknown): void {
  for (const entry of batch) entry.reject(error);
}
