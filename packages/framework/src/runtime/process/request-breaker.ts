import { setTimeout } from "node:timers/promises";

/** Consecutive answers that are too large, after which a request is held back. */
const TOO_LARGE_MAX = 3;
/** Time until a request that is held back is tried once: it doubles with each further answer that is too large. @units milliseconds */
const OPEN_MS_MIN = 5_000;
const OPEN_MS_MAX = 60_000;
/** A request that is held back waits for this time before it fails: an app that repeats it at once costs little. @units milliseconds */
const REFUSAL_DELAY_MS = 2_000;
/** Requests of an installation whose last answers were too large; beyond this number the oldest is forgotten. */
const KEYS_MAX = 100;

export type BreakerOutcome = "answered" | "too large" | "failed";

/**
 * Circuit breaker for the requests of an installation. A server that sends without end fills the buffers of the system before an answer is known to
 * be too large; with many such requests at once, the events of other installations wait.
 */
export interface RequestBreaker {
  /** -> whether the request may be sent; `leave` must be called after it. @shape key: the requests that are alike have the same key */
  enter(key: string): Promise<boolean>;
  leave(key: string, outcome: BreakerOutcome): void;
}

interface Circuit {
  tooLarge: number;
  /** Time from which a single request is tried. @units milliseconds */
  openUntil: number;
  isTried: boolean;
}

/** @units `now` in milliseconds */
export const createRequestBreaker = (
  now: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = setTimeout,
): RequestBreaker => {
  const circuits = new Map<string, Circuit>();
  const admit = (key: string): boolean => {
    const circuit = circuits.get(key);
    if (!circuit || circuit.tooLarge < TOO_LARGE_MAX) return true;
    if (circuit.isTried || now() < circuit.openUntil) return false;
    circuit.isTried = true;
    return true;
  };
  return {
    async enter(key) {
      if (admit(key)) return true;
      await wait(REFUSAL_DELAY_MS);
      return admit(key);
    },
    leave(key, outcome) {
      if (outcome === "answered") return void circuits.delete(key);
      const circuit = circuits.get(key) ?? { tooLarge: 0, openUntil: 0, isTried: false };
      circuit.isTried = false;
      if (outcome === "failed") return;
      circuit.tooLarge += 1;
      const openMs = Math.min(OPEN_MS_MAX, OPEN_MS_MIN * 2 ** Math.max(0, circuit.tooLarge - TOO_LARGE_MAX));
      circuit.openUntil = now() + openMs;
      circuits.set(key, circuit);
      for (const oldest of circuits.keys()) {
        if (circuits.size <= KEYS_MAX) return;
        circuits.delete(oldest);
      }
    },
  };
};
