/** Timeout of receiving a request, and interval of its check. @units milliseconds */
export interface RequestTimeouts {
  readonly requestMs: number;
  readonly checkIntervalMs: number;
}

/** @assumed Two minutes: enough for the largest upload over a slow connection. */
const defaultTimeouts: RequestTimeouts = { requestMs: 120_000, checkIntervalMs: 5_000 };
const HEADERS_TIMEOUT_MS = 20_000;

/** Options of Node's HTTP server that limit the time of receiving a request. */
export const requestTimeouts = ({ requestMs, checkIntervalMs }: RequestTimeouts = defaultTimeouts) => ({
  requestTimeout: requestMs,
  // Node requires headersTimeout not to exceed requestTimeout.
  headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestMs),
  connectionsCheckingInterval: checkIntervalMs,
});
