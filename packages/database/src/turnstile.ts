import { QueueFull } from "./errors/failure.ts";

/** What a turnstile lets in and holds back. */
export interface TurnstileOptions {
  /** Those inside at a time. */
  readonly max: number;
  /** Most that may wait; 1000 unless told. */
  readonly maxWaiting?: number | undefined;
  /** How long one may wait; 5 s unless told. @units milliseconds */
  readonly patienceMs?: number | undefined;
}

/** Lets few in at a time; the others wait in their order, up to a number and a time. */
export interface Turnstile {
  /** Whoever was let in has to leave. @errors QueueFull */
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

  /** The queue's order is that of the times: one timer, for its first. */
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
      // The place goes over to who waited longest.
      if (next) next.resolve();
      else inside--;
    },
  };
}
