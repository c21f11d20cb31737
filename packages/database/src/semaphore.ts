import { QueueFull } from "./errors/failure.ts";

/** Limits of a semaphore. */
export interface SemaphoreOptions {
  /** Number of permits. */
  readonly max: number;
  /** Maximum number of waiting callers. Default: 1000. */
  readonly maxWaiting?: number | undefined;
  /** Maximum wait; may be infinite. Default: 5 s. @units milliseconds */
  readonly acquireTimeoutMs?: number | undefined;
}

/** Options of a semaphore whose callers are few, and would only repeat a call that was refused: each waits until it gets a permit. */
export const UNBOUNDED_WAIT = { maxWaiting: Infinity, acquireTimeoutMs: Infinity } as const;

/** Counting semaphore with a FIFO queue, which is bounded in length and time unless the options say otherwise. */
interface Semaphore {
  /** Acquires a permit, which the caller must release. @errors QueueFull */
  acquire(): Promise<void>;
  release(): void;
  /** Runs the work with a permit. @errors QueueFull; errors of the work */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Number of callers that wait for a permit. */
  waiting(): number;
}

interface Waiter {
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function createSemaphore({ max, maxWaiting = 1_000, acquireTimeoutMs = 5_000 }: SemaphoreOptions): Semaphore {
  const queue: Waiter[] = [];
  let inUse = 0;
  let timer: NodeJS.Timeout | undefined;

  /** All waits are equally long, so that one timer for the head of the queue suffices. */
  const scheduleTimeout = (): void => {
    const [first] = queue;
    if (timer || !first || first.deadline === Infinity) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        const now = performance.now();
        for (let expired = queue[0]; expired && expired.deadline <= now; expired = queue[0]) {
          queue.shift();
          expired.reject(new QueueFull(`no connection came free within ${acquireTimeoutMs} ms`));
        }
        scheduleTimeout();
      },
      Math.max(1, first.deadline - performance.now()),
    );
    timer.unref();
  };

  const acquire = (): Promise<void> => {
    if (inUse < max) {
      inUse++;
      return Promise.resolve();
    }
    if (queue.length >= maxWaiting) return Promise.reject(new QueueFull(`${maxWaiting} wait for a connection already`));
    return new Promise((resolve, reject) => {
      queue.push({ deadline: performance.now() + acquireTimeoutMs, resolve, reject });
      scheduleTimeout();
    });
  };
  const release = (): void => {
    const next = queue.shift();
    // The permit passes to the longest waiting caller.
    if (next) next.resolve();
    else inUse--;
  };

  return {
    acquire,
    release,
    run: async (work) => {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
    waiting: () => queue.length,
  };
}
