import { QueueFull } from "./errors/failure.ts";

/** Limits of a semaphore. */
export interface SemaphoreOptions {
  /** Number of permits. */
  readonly max: number;
  /** Maximum number of waiting callers. Default: 1000. */
  readonly maxWaiting?: number | undefined;
  /** Maximum wait. Default: 5 s. @units milliseconds */
  readonly acquireTimeoutMs?: number | undefined;
}

/** Counting semaphore with a FIFO queue that is bounded in length and time. */
export interface Semaphore {
  /** Acquires a permit, which the caller must release. @errors QueueFull */
  acquire(): Promise<void>;
  release(): void;
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
    if (timer || !first) return;
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

  return {
    acquire: () => {
      if (inUse < max) {
        inUse++;
        return Promise.resolve();
      }
      if (queue.length >= maxWaiting)
        return Promise.reject(new QueueFull(`${maxWaiting} wait for a connection already`));
      return new Promise((resolve, reject) => {
        queue.push({ deadline: performance.now() + acquireTimeoutMs, resolve, reject });
        scheduleTimeout();
      });
    },
    release: () => {
      const next = queue.shift();
      // The permit passes to the longest waiting caller.
      if (next) next.resolve();
      else inUse--;
    },
    waiting: () => queue.length,
  };
}
