import { isNativeError } from "node:util/types";
import { takeBatch } from "./batch.ts";
import { isConnectionLost, isDegraded, isTimedOut, MOST_TIMED_OUT, QueueFull } from "./errors/failure.ts";

/** Options of batched writes. */
export interface GroupCommitOptions<I, O> {
  /** Maximum number of items per transaction. Default: 128. */
  readonly maxBatch?: number;
  /** Maximum number of queued items. Default: 4096. */
  readonly maxQueue?: number;
  /** Commits the items in one transaction and returns a result for each, in order. Throws only if nothing was committed. */
  readonly run: (items: readonly I[]) => Promise<readonly (O | Error)[]>;
  /** Items of one key keep their order. */
  readonly keyOf?: (item: I) => string | undefined;
  /** Such an item shares a batch with no other item of its key. */
  readonly exclusive?: (item: I) => boolean;
}

export interface GroupCommit<I, O> {
  /**
   * Settles after the item's transaction.
   * @errors QueueFull; the item's error from `run`; for the whole batch, a lost connection or a degraded server
   */
  submit(item: I): Promise<O>;
  /** Items that wait, without those of the transaction under way. */
  depth(): number;
  /** Accepts no more items; resolves when the last item is settled. */
  close(): Promise<void>;
}

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs one transaction at a time, with the items that arrived during the previous one. */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): GroupCommit<I, O> {
  const { maxBatch = 128, maxQueue = 4096, run, keyOf, exclusive } = options;
  const rules = {
    keyOf: keyOf && ((entry: Entry<I, O>) => keyOf(entry.item)),
    exclusive: exclusive && ((entry: Entry<I, O>) => exclusive(entry.item)),
  };
  const queue: Entry<I, O>[] = [];
  let draining: Promise<void> | undefined;
  let closed = false;

  const drain = async () => {
    // Items of requests that were parsed in the same tick share the first batch.
    await new Promise(setImmediate);
    while (queue.length > 0) await settle(takeBatch(queue, maxBatch, rules), run);
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
    depth: () => queue.length,
    close: async () => {
      closed = true;
      await draining;
    },
  };
}

async function settle<I, O>(batch: readonly Entry<I, O>[], run: GroupCommitOptions<I, O>["run"]): Promise<void> {
  try {
    answer(batch, await run(batch.map((entry) => entry.item)));
  } catch (error) {
    if (batch.length === 1 || isConnectionLost(error) || isDegraded(error)) return refuse(batch, error);
    let timedOut = 0;
    for (const [index, entry] of batch.entries()) {
      try {
        answer([entry], await run([entry.item]));
      } catch (own) {
        timedOut += isTimedOut(own) ? 1 : 0;
        // The remaining items would fail for the same reason, each after its own timeout.
        if (isConnectionLost(own) || isDegraded(own) || timedOut >= MOST_TIMED_OUT)
          return refuse(batch.slice(index), own);
        entry.reject(own);
      }
    }
  }
}

function answer<I, O>(batch: readonly Entry<I, O>[], outputs: readonly (O | Error)[]): void {
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
