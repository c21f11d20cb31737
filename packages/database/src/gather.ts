import { publishBatch } from "./batch-events.ts";
import {
  isUnreachable,
  isConnectionLost,
  isDegraded,
  isTimedOut,
  TIMED_OUT_ITEMS_MAX,
  QueueFull,
} from "./errors/failure.ts";

/** Options of batched reads. */
export interface GatherOptions<Q, A> {
  /** Name of the items, for measurements. */
  readonly name: string;
  /** Maximum number of queries per statement. Default: 16. */
  readonly maxBatch?: number;
  /** Maximum number of concurrent statements. Default: 3. */
  readonly maxInFlight?: number;
  /** Maximum number of queued queries. Default: 4096. */
  readonly maxQueue?: number;
  /** Executes the queries and returns a result for each, in order. Must be repeatable: read-only or idempotent. */
  readonly run: (queries: readonly Q[]) => Promise<readonly A[]>;
}

interface Entry<Q, A> {
  readonly query: Q;
  readonly resolve: (result: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches queries: those that arrive while statements are running are combined into the next statement.
 * @errors QueueFull; errors of `run` after a second attempt
 */
export function gather<Q, A>(options: GatherOptions<Q, A>): (query: Q) => Promise<A> {
  const { name, maxBatch = 16, maxInFlight = 3, maxQueue = 4096, run } = options;
  const queue: Entry<Q, A>[] = [];
  let inFlight = 0;
  let scheduled = false;

  const start = () => {
    scheduled = false;
    while (queue.length > 0 && inFlight < maxInFlight) {
      inFlight++;
      const batch = queue.splice(0, maxBatch);
      publishBatch({ kind: "read", name, items: batch.length, waiting: queue.length });
      void settle(batch, run).finally(() => {
        inFlight--;
        start();
      });
    }
  };

  return (query) =>
    new Promise<A>((resolve, reject) => {
      if (queue.length >= maxQueue) return reject(new QueueFull(`${maxQueue} reads wait already`));
      queue.push({ query, resolve, reject });
      if (scheduled || inFlight >= maxInFlight) return;
      scheduled = true;
      // Queries of requests that were parsed in the same tick share a statement.
      setImmediate(start);
    });
}

async function settle<Q, A>(batch: readonly Entry<Q, A>[], run: GatherOptions<Q, A>["run"]): Promise<void> {
  try {
    await executeBatch(batch, run);
  } catch (error) {
    if (isUnreachable(error) || isDegraded(error)) return refuse(batch, error);
    const again = isConnectionLost(error) ? [batch] : batch.map((entry) => [entry]);
    if (again.length === 1 && !isConnectionLost(error)) return refuse(batch, error);
    // After a lost connection the whole batch is repeated; otherwise each query is repeated alone, so that only the failing query fails.
    let timedOut = 0;
    for (const [index, part] of again.entries()) {
      try {
        await executeBatch(part, run);
      } catch (own) {
        timedOut += isTimedOut(own) ? 1 : 0;
        if (timedOut >= TIMED_OUT_ITEMS_MAX) return refuse(again.slice(index).flat(), own);
        refuse(part, own);
      }
    }
  }
}

async function executeBatch<Q, A>(batch: readonly Entry<Q, A>[], run: GatherOptions<Q, A>["run"]): Promise<void> {
  const results = await run(batch.map((entry) => entry.query));
  if (results.length !== batch.length)
    throw new Error(`a batch of ${batch.length} queries was answered with ${results.length}`);
  batch.forEach((entry, index) => entry.resolve(results[index] as A));
}

function refuse<Q, A>(batch: readonly Entry<Q, A>[], error: unknown): void {
  for (const entry of batch) entry.reject(error);
}
