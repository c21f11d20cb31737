import { isNativeError } from "node:util/types";
import { takeBatch } from "./batch.ts";
import { isConnectionLost, isDegraded, isTimedOut, MOST_TIMED_OUT, QueueFull } from "./errors/failure.ts";

/** Writes that wait together and are committed together. */
export interface GroupCommitOptions<I, O> {
  /** Most items of one transaction; 128 unless told. */
  readonly maxBatch?: number;
  /** Most items that may wait; 4096 unless told. */
  readonly maxQueue?: number;
  /** Commits the items in one transaction and answers each in place; may throw only when nothing was committed. */
  readonly run: (items: readonly I[]) => Promise<readonly (O | Error)[]>;
  /** Items of one key keep their order. */
  readonly keyOf?: (item: I) => string | undefined;
  /** Such an item shares a batch with no other item of its key. */
  readonly exclusive?: (item: I) => boolean;
}

export interface GroupCommit<I, O> {
  /**
   * Settles after the item's transaction has ended.
   * @errors QueueFull; what `run` answered for this item; a lost connection or a degraded server as it is, for the whole batch
   */
  submit(item: I): Promise<O>;
  /** Items that wait, without those of the transaction under way. */
  depth(): number;
  /** Takes no more items; resolves when the last one is settled. */
  close(): Promise<void>;
}

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes one transaction at a time of whatever arrived while the one before it ran. */
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
    // Requests that were parsed in the same tick share the first batch.
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
        // What many wait for would hold up everybody: one of them may find that out, not each after the other.
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
    // Not by instanceof: an error of the system comes from another realm where tests run in one of their own.
    if (isNativeError(output)) entry.reject(output);
    else entry.resolve(output);
  });
}

function refuse<I, O>(batch: readonly Entry<I, O>[], error: unknown): void {
  for (const entry of batch) entry.reject(error);
}
