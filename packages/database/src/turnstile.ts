import { QueueFull } from "./errors/failure.ts";

/** Limits of a semaphore. */
export interface TurnstileOptions {
  /** Number of permits. */
  readonly max: number;
  /** Maximum number of waiting callers. Default: 1000. */
  readonly maxWaiting?: number | undefined;
  /** Maximum wait. Default: 5 s. @units milliseconds */
  readonly patienceMs?: number | undefined;
}

/** Counting semaphore with a FIFO queue that is bounded in length and time. */
export interface Turnstile {
  /** Acquires a permit, which the caller must release. @errors QueueFull */
  enter(): Promise<void>;
  leave(): void;
}

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function turnstile({ max, maxWaiting = 1_000, patienceMs = 5_000 }: TurnstileOptions): Turnstile {
  const queue: Waiting[] = [];
  let inside = 0;
  let timer: NodeJS.Timeout | undefined;

  /** All waits are equally long, so that one timer for the head of the queue suffices. */
  const watch = (): void => {
    const [first] = queue;
    if (timer || !first) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        const now = performance.now();
        for (let late = queue[0]; late && late.until <= now; late = queue[0]) {
          queue.shift();
          late.reject(new QueueFull(`no connection came free within ${patienceMs} ms`));
        }
        watch();
      },
      Math.max(1, first.until - performance.now()),
    );
    timer.unref();
  };

  return {
    enter: () => {
      if (inside < max) {
        inside++;
        return Promise.resolve();
      }
      if (queue.length >= maxWaiting)
        return Promise.reject(new QueueFull(`${maxWaiting} wait for a connection already`));
      return new Promise((resolve, reject) => {
        queue.push({ until: performance.now() + patienceMs, resolve, reject });
        watch();
      });
    },
    leave: () => {
      const next = queue.shift();
      // The permit passes to the longest waiting caller.
      if (next) next.resolve();
      else inside--;
    },
  };
}
