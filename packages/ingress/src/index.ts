/** Resource limits for incoming connections of an HTTP server. */
export { ACCEPT_QUEUE_LENGTH } from "./accept-queue.ts";
export { boundConnections, type ConnectionBounds } from "./bound-connections.ts";
export { requestTimeouts, type RequestTimeouts } from "./request-timeouts.ts";
