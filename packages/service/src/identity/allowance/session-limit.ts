import { SESSION_CALLS_PER_MINUTE } from "@parley/contract";
import type { Ports } from "../../base/environment/ports.ts";
import type { RateLimitState } from "./allowance.ts";

/** @units milliseconds */
const MINUTE_MS = 60_000;
const MINUTE = { name: "minute", seconds: 60 } as const;

/** Counts the requests of sessions per minute in this process. */
export function createSessionLimit({ now, limit = SESSION_CALLS_PER_MINUTE }: { limit?: number } & Pick<Ports, "now">) {
  const counts = new Map<string, number>();
  let window = 0;
  /** Counts a request of a session. -> whether it is within the limit */
  return (sessionId: string): RateLimitState => {
    const time = now().getTime();
    const present = Math.floor(time / MINUTE_MS);
    if (present !== window) counts.clear();
    window = present;
    const count = (counts.get(sessionId) ?? 0) + 1;
    counts.set(sessionId, count);
    return {
      allowed: count <= limit,
      limit,
      remaining: Math.max(0, limit - count),
      reset: Math.max(1, Math.ceil(((window + 1) * MINUTE_MS - time) / 1_000)),
      window: MINUTE,
    };
  };
}
export type SessionLimit = ReturnType<typeof createSessionLimit>;
