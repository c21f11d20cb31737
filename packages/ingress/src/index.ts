/** Resource limits for incoming connections of an HTTP server, and the check of its Host header. */
export { ACCEPT_QUEUE_LENGTH } from "./accept-queue.ts";
export { boundConnections, type ConnectionBounds } from "./bound-connections.ts";
export { isValidHost } from "./host-header.ts";
export { requestTimeouts, type RequestTimeouts } from "./request-timeouts.ts";
