import type { Ports } from "../../base/environment/ports.ts";
import { clientNetworkOf } from "./client-network.ts";
import { type RateLimitState, secondsLeftInHour, hourWindowOf } from "./allowance.ts";

/**
 * Failed authentications per IP address and hour.
 * @assumed 1000: more than a broken integration makes by retries, fewer than guessing a token takes. Requests with a valid token are not limited
 * by it.
 */
const FAILURES_PER_HOUR_MAX = 1000;
/** Maximum counted addresses. */
const ADDRESSES_MAX = 10_000;

/** Counts failed authentications by the network of the remote address in this process. Without a caller, the rate-limit headers contain these values. */
export function createFailedAuthenticationLimit({
  now,
  limit = FAILURES_PER_HOUR_MAX,
}: { limit?: number } & Pick<Ports, "now">) {
  const failures = new Map<string, number>();
  let window = 0;

  const stateOf = (count: number): RateLimitState => ({
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    reset: secondsLeftInHour(window, now()),
  });
  const countOf = (network: string): number => {
    const present = hourWindowOf(now());
    if (present !== window) failures.clear();
    window = present;
    return failures.get(network) ?? 0;
  };

  return {
    state: (address: string): RateLimitState => stateOf(countOf(clientNetworkOf(address))),
    countFailure(address: string): RateLimitState {
      const network = clientNetworkOf(address);
      const count = countOf(network) + 1;
      const [oldest] = failures.keys();
      if (oldest !== undefined && failures.size >= ADDRESSES_MAX && !failures.has(network)) failures.delete(oldest);
      failures.set(network, count);
      return stateOf(count);
    },
  };
}
export type FailedAuthenticationLimit = ReturnType<typeof createFailedAuthenticationLimit>;
