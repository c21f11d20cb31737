/** Timeout of receiving a request, and interval of its check. @units milliseconds */
export interface RequestTimeouts {
  readonly request: number;
  readonly look: number;
}

/** @assumed Two minutes: enough for the largest upload over a slow connection. */
const usualTimeouts: RequestTimeouts = { request: 120_000, look: 5_000 };
const headersTimeoutMs = 20_000;

/** Options of Node's HTTP server that limit the time of receiving a request. */
export const requestTimeouts = ({ request, look }: RequestTimeouts = usualTimeouts) => ({
  requestTimeout: request,
  // Node requires headersTimeout not to exceed requestTimeout.
  headersTimeout: Math.min(headersTimeoutMs, request),
  connectionsCheckingInterval: look,
});
