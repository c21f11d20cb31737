import type { AxiosInstance } from "axios";
import { axiosExchange, defaultAxios } from "./axios-exchange.ts";
import type { ParleyClient } from "./calls.ts";
import { API_ROUTES, WIRE } from "./contract-values.ts";
import { createCalls } from "./create-calls.ts";
import { rateLimitStateOf, type RateLimit } from "./response.ts";
import { defaultRetryRules, DEFAULT_TIMEOUT_MS, type RetryRules } from "./retry.ts";
import { tokenSource } from "./token.ts";

export interface ClientOptions {
  /** Address of the account, with or without its version segment. */
  readonly url: string;
  readonly token: string;
  /** Returns a new token after a 401; the call is then repeated once. */
  readonly onUnauthorized?: () => Promise<string> | string;
  /** Timeout of one attempt. Default: 30 000. @units milliseconds */
  readonly timeoutMs?: number;
  /** Retries after 429 and 503 (observing `Retry-After`), 502, 504 and lost connections. Default: three retries within a minute. */
  readonly retries?: Partial<RetryRules>;
  /** Called for every response, with its rate limit state. */
  readonly onResponse?: (response: {
    readonly route: string;
    readonly code: number;
    readonly rateLimit: RateLimit | undefined;
  }) => void;
  /** An axios instance with your own interceptors and adapters; URL and token are set on each request. */
  readonly axios?: AxiosInstance;
}

const baseOf = (url: string): string => {
  const bare = url.replace(/\/+$/, "");
  return bare.endsWith(WIRE.basePath) ? bare : bare + WIRE.basePath;
};

/**
 * The typed client: `client.<resource>.<operation>({ params, query, body })`, one function per row of the contract. Lists also have
 * `.pages(…)` and `.items(…)`.
 * @errors ProblemError for a response outside 2xx; NoAnswerError if no response was received
 */
export function parleyClient(options: ClientOptions): ParleyClient {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS, onResponse, axios: http = defaultAxios() } = options;
  const calls = createCalls<string>({
    routes: API_ROUTES,
    base: baseOf(url),
    send: axiosExchange(http),
    tokens: tokenSource(options.token, options.onUnauthorized),
    credentialOf: (token) => ({ authorization: `Bearer ${token}` }),
    isRefused: ({ status }) => status === 401,
    timeoutMs,
    retries: { ...defaultRetryRules, ...options.retries },
    hasPatientStreams: false,
    onReply: (route, { status, headers }) =>
      onResponse?.({ route, code: status, rateLimit: rateLimitStateOf(headers) }),
  });
  // The table erases the rows' types; each function has the type of its row.
  return calls as ParleyClient;
}
