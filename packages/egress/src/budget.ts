import { once } from "node:events";

export interface Budget {
  /** @units milliseconds */
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  /** What the work fails with when the time is over. */
  readonly expired: () => Error;
}

/**
 * Runs work until it ends, its time is over or the caller gives up; the work's own signal then tells it to stop, and it is not waited for.
 * @errors what the work throws, what `expired` makes, or the caller's reason
 */
export const within = async <T>(budget: Budget, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  budget.signal?.throwIfAborted();
  const controller = new AbortController();
  const giveUp = () => controller.abort(budget.signal?.reason);
  const timer = setTimeout(() => controller.abort(budget.expired()), budget.ms);
  budget.signal?.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work(controller.signal), stopped(controller.signal)]);
  } finally {
    clearTimeout(timer);
    budget.signal?.removeEventListener("abort", giveUp);
  }
};

const stopped = async (signal: AbortSignal): Promise<never> => {
  await once(signal, "abort");
  throw signal.reason;
};
