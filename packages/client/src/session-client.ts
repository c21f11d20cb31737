import type { AdminClient, SessionClient } from "./session-calls.ts";
import type { ClientRoutes } from "./client-routes.ts";
import { SESSION_ROUTES, WIRE } from "./contract-values.ts";
import { createCalls } from "./create-calls.ts";
import { fetchExchange } from "./fetch-exchange.ts";
import { defaultRetryRules, DEFAULT_TIMEOUT_MS, type RetryRules } from "./retry.ts";
import { renewableToken } from "./token.ts";

export interface SessionClientOptions {
  /** Origin of the service. Default: that of the page. */
  readonly url?: string;
  /** The second secret of the session, read for each request; undefined while nobody is signed in. The first one is the cookie. */
  readonly sessionToken: () => string | undefined;
  /**
   * Called if the service refuses the session; concurrent calls share one call of this function. If `sessionToken` returns another token afterwards,
   * the call is repeated once; otherwise it throws ProblemError with UNAUTHENTICATED.
   */
  readonly onUnauthorized?: () => Promise<void> | void;
  /** Timeout of one attempt. Default: 30 000. @units milliseconds */
  readonly timeoutMs?: number;
  /** Retries after 429 and 503 (observing `Retry-After`), 502, 504 and lost connections. Default: three retries within a minute. */
  readonly retries?: Partial<RetryRules>;
  /** Default: that of the environment. Outside of browsers it must add the cookie and the Origin header. */
  readonly fetch?: typeof fetch;
}

const callsOf = (routes: ClientRoutes, options: SessionClientOptions) => {
  const { url = "", sessionToken, onUnauthorized, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  return createCalls<string | undefined>({
    routes,
    base: url.replace(/\/+$/, ""),
    // Called as a member of the global object, as browsers require it.
    send: fetchExchange(options.fetch ?? ((...request) => globalThis.fetch(...request))),
    tokens: renewableToken(sessionToken, async () => onUnauthorized?.()),
    credentialOf: (token): Record<string, string> => (token === undefined ? {} : { [WIRE.sessionToken]: token }),
    // A wrong password has the code 401 too.
    isRefused: ({ status, data }) =>
      status === 401 && (data as { status?: unknown } | null)?.status === WIRE.unauthenticated,
    timeoutMs,
    retries: { ...defaultRetryRules, ...options.retries },
    hasPatientStreams: true,
  });
};

/**
 * The typed client of pages with a session: `client.<resource>.<operation>({ params, query, body })` for the endpoints of the API, of the
 * sign-in and of the console that admit a session or need no credential. Streams reconnect until their signal ends them.
 * @errors ProblemError for a response outside 2xx; NoAnswerError if no response was received
 */
export const sessionClient = (options: SessionClientOptions): SessionClient =>
  // The table erases the rows' types; each function has the type of its row.
  callsOf(SESSION_ROUTES, options) as SessionClient;

/**
 * The same for the endpoints of the administration: `client.admin.<operation>` and `client.platform.<operation>`.
 * @shape routes: ADMIN_ROUTES of `@parley/client/admin`
 */
export const adminClient = (options: SessionClientOptions, routes: ClientRoutes): AdminClient =>
  callsOf(routes, options) as AdminClient;
