import type { Ports } from "../../base/environment/ports.ts";
import type { RateLimitState } from "./allowance.ts";

/** Maximum counted keys of one window. Beyond it the oldest are forgotten. */
const KEYS_MAX = 100_000;

/** A period in which requests are counted, as the rate-limit headers name it. */
interface LimitWindow {
  readonly name: "minute" | "hour";
  readonly seconds: number;
}
const MINUTE: LimitWindow = { name: "minute", seconds: 60 };
export const HOUR: LimitWindow = { name: "hour", seconds: 3_600 };

/** Counts the requests of each key, such as a session or an IP address, per window in this process. */
export function createWindowLimit({
  now,
  limit,
  window = MINUTE,
}: { readonly limit: number; readonly window?: LimitWindow } & Pick<Ports, "now">) {
  const windowMs = window.seconds * 1_000;
  const counts = new Map<string, number>();
  let current = 0;
  /** Counts a request of a key. -> whether it is within the limit */
  return (key: string): RateLimitState => {
    const time = now().getTime();
    const present = Math.floor(time / windowMs);
    if (present !== current) counts.clear();
    current = present;
    const count = (counts.get(key) ?? 0) + 1;
    const [oldest] = counts.keys();
    if (oldest !== undefined && counts.size >= KEYS_MAX && !counts.has(key)) counts.delete(oldest);
    counts.set(key, count);
    return {
      allowed: count <= limit,
      limit,
      remaining: Math.max(0, limit - count),
      reset: Math.max(1, Math.ceil(((current + 1) * windowMs - time) / 1_000)),
      window,
    };
  };
}
export type WindowLimit = ReturnType<typeof createWindowLimit>;
