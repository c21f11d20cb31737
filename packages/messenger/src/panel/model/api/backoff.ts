/** Pause before the first retry, doubling up to the maximum. @units milliseconds */
const RETRY_DELAY_MS = { initial: 500, max: 30_000 } as const;

/**
 * Exponential backoff with jitter of 50 %: panels that lost their connection together don't return together.
 * @shape failures: failures in a row before this one; random: from 0 to 1 @units milliseconds
 */
const backoffMs = (failures: number, minMs: number, random: number): number =>
  Math.max(minMs, Math.min(RETRY_DELAY_MS.initial * 2 ** Math.min(failures, 16), RETRY_DELAY_MS.max)) *
  (1 + (minMs > 0 ? random / 4 : random / 2 - 0.5));

/** Pauses between attempts. */
export interface Backoff {
  /** -> failures in a row, with this one */
  readonly fail: () => number;
  /** An attempt succeeded. */
  readonly reset: () => void;
  /** Waits before the next attempt. @shape minMs: what the service asked for @units milliseconds */
  readonly wait: (minMs: number, signal?: AbortSignal) => Promise<void>;
}

export const createBackoff = (): Backoff => {
  let failures = 0;
  return {
    fail: () => ++failures,
    reset: () => void (failures = 0),
    wait: (minMs, signal) => pause(backoffMs(Math.max(failures - 1, 0), minMs, Math.random()), signal),
  };
};

/** Resolves after the time, when the browser is online again, or when the signal is aborted. */
const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
