/** Resource limits for incoming connections of an HTTP server. */
export { boundConnections, type ConnectionBounds } from "./bound-connections.ts";
export { requestTimeouts, type RequestTimeouts } from "./request-timeouts.ts";
