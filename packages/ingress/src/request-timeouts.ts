/** How long a request may take to arrive, and how often that is looked after. @units milliseconds */
export interface RequestTimeouts {
  readonly request: number;
  readonly look: number;
}

/** @assumed Two minutes: enough for the largest upload over a slow line. */
const usualTimeouts: RequestTimeouts = { request: 120_000, look: 5_000 };
const headersTimeoutMs = 20_000;

/** Options of Node's HTTP server under which no request can be sent without an end. */
export const requestTimeouts = ({ request, look }: RequestTimeouts = usualTimeouts) => ({
  requestTimeout: request,
  // Not longer than the other: Node would take the one for the other.
  headersTimeout: Math.min(headersTimeoutMs, request),
  connectionsCheckingInterval: look,
});
