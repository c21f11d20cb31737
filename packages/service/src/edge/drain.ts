import type { FastifyInstance } from "fastify";

/** How long requests in progress may delay the shutdown. @units milliseconds */
const DRAIN_TIMEOUT_MS = 3_000;
/** Interval between two checks for idle connections. @units milliseconds */
const IDLE_CHECK_INTERVAL_MS = 50;

/** Accepts no more connections, lets requests in progress end, and closes the remaining connections after a timeout. */
export async function drain(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(force);
  }
}
