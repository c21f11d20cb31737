import { once } from "node:events";

interface TimeLimit {
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
export const withTimeout = async <T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  limit.signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(limit.signal?.reason);
  const timer = setTimeout(() => controller.abort(limit.expired()), limit.ms);
  limit.signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work(controller.signal), stopped(controller.signal)]);
  } finally {
    clearTimeout(timer);
    limit.signal?.removeEventListener("abort", abort);
  }
};

const stopped = async (signal: AbortSignal): Promise<never> => {
  await once(signal, "abort");
  throw signal.reason;
};
