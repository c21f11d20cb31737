import { once } from "node:events";

export interface Budget {
  /** Timeout. @units milliseconds */
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error of a timeout. */
  readonly expired: () => Error;
}

/**
 * Runs work with a timeout and the caller's abort signal. On either, the signal passed to the work aborts, and the work is not awaited.
 * @errors errors of the work, the error of `expired`, or the caller's abort reason
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
