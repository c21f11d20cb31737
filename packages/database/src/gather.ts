import { isAway, isConnectionLost, isDegraded, isTimedOut, MOST_TIMED_OUT, QueueFull } from "./errors/failure.ts";

/** Reads that wait together and are answered by one statement. */
export interface GatherOptions<Q, A> {
  /** Most queries of one statement; 16 unless told. */
  readonly maxBatch?: number;
  /** Most statements under way; 3 unless told. */
  readonly maxInFlight?: number;
  /** Most queries that may wait; 4096 unless told. */
  readonly maxQueue?: number;
  /** Answers the queries in place; it may be sent again: it only reads, or what it writes is the same twice. */
  readonly run: (queries: readonly Q[]) => Promise<readonly A[]>;
}

interface Entry<Q, A> {
  readonly query: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes few statements of many queries: those that arrive while statements are under way go together into the next.
 * @errors QueueFull; what `run` threw, after a second try
 */
export function gather<Q, A>(options: GatherOptions<Q, A>): (query: Q) => Promise<A> {
  const { maxBatch = 16, maxInFlight = 3, maxQueue = 4096, run } = options;
  const queue: Entry<Q, A>[] = [];
  let inFlight = 0;
  let scheduled = false;

  const start = () => {
    scheduled = false;
    while (queue.length > 0 && inFlight < maxInFlight) {
      inFlight++;
      void settle(queue.splice(0, maxBatch), run).finally(() => {
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
      // Requests that were parsed in the same tick share a statement.
      setImmediate(start);
    });
}

async function settle<Q, A>(batch: readonly Entry<Q, A>[], run: GatherOptions<Q, A>["run"]): Promise<void> {
  try {
    await ask(batch, run);
  } catch (error) {
    if (isAway(error) || isDegraded(error)) return refuse(batch, error);
    const again = isConnectionLost(error) ? [batch] : batch.map((entry) => [entry]);
    if (again.length === 1 && !isConnectionLost(error)) return refuse(batch, error);
    // A lost connection is no query's fault; otherwise only the guilty query is to fail.
    let timedOut = 0;
    for (const [index, part] of again.entries()) {
      try {
        await ask(part, run);
      } catch (own) {
        timedOut += isTimedOut(own) ? 1 : 0;
        if (timedOut >= MOST_TIMED_OUT) return refuse(again.slice(index).flat(), own);
        refuse(part, own);
      }
    }
  }
}

async function ask<Q, A>(batch: readonly Entry<Q, A>[], run: GatherOptions<Q, A>["run"]): Promise<void> {
  const answers = await run(batch.map((entry) => entry.query));
  if (answers.length !== batch.length)
    throw new Error(`a batch of ${batch.length} queries was answered with ${answers.length}`);
  batch.forEach((entry, index) => entry.resolve(answers[index] as A));
}

function refuse<Q, A>(batch: readonly Entry<Q, A>[], error: unknown): void {
  for (const entry of batch) entry.reject(error);
}
