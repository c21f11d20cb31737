import { MESSENGER_LIMITS, refuse, TOO_MANY_REQUESTS } from "@parley/contract";
import type { Ports } from "../../base/environment/ports.ts";
import type { RateLimitState } from "../../identity/allowance/allowance.ts";
import { clientNetworkOf } from "../../identity/allowance/client-network.ts";
import { createFailedAuthenticationLimit } from "../../identity/allowance/failed-authentication.ts";
import { createWindowLimit, HOUR } from "../../identity/allowance/window-limit.ts";

const check = ({ allowed, reset }: Pick<RateLimitState, "allowed" | "reset">, message: string): void => {
  if (!allowed) refuse(TOO_MANY_REQUESTS, message, reset);
};

/** Limits of new sessions, of wrong restore ids and of refused signed tokens, per process. */
export const createVisitorThrottle = ({ now }: Pick<Ports, "now">) => {
  const byAddress = createWindowLimit({ now, limit: MESSENGER_LIMITS.sessions_per_address_hour, window: HOUR });
  const byAccount = createWindowLimit({ now, limit: MESSENGER_LIMITS.sessions_per_account_minute });
  const wrongRestores = createFailedAuthenticationLimit({ now, limit: MESSENGER_LIMITS.restores_per_address_hour });
  const refusedTokens = createFailedAuthenticationLimit({
    now,
    limit: MESSENGER_LIMITS.refused_tokens_per_address_hour,
  });
  return {
    /** Counts a new session. @errors TOO_MANY_REQUESTS */
    countSession(address: string, accountId: number): void {
      check(byAddress(clientNetworkOf(address)), "Too many visitors began a session from this address. Retry later.");
      check(byAccount(String(accountId)), "Too many visitors begin a session in this account. Retry later.");
    },
    /** @errors TOO_MANY_REQUESTS after too many wrong restore ids */
    checkRestore(address: string): void {
      const { remaining, reset } = wrongRestores.state(address);
      check({ allowed: remaining > 0, reset }, "Too many wrong restore ids came from this address. Retry later.");
    },
    countWrongRestore: (address: string): void => void wrongRestores.countFailure(address),
    /** @errors TOO_MANY_REQUESTS after too many refused tokens */
    checkSignedToken(address: string): void {
      const { remaining, reset } = refusedTokens.state(address);
      check({ allowed: remaining > 0, reset }, "Too many refused tokens came from this address. Retry later.");
    },
    countRefusedToken: (address: string): void => void refusedTokens.countFailure(address),
  };
};
export type VisitorThrottle = ReturnType<typeof createVisitorThrottle>;
