import type { FastifyInstance } from "fastify";

/** How long requests in progress may delay the shutdown. @units milliseconds */
const PATIENCE = 3_000;
/** Interval between two checks for idle connections. @units milliseconds */
const LOOK = 50;

/** Accepts no more connections, lets requests in progress end, and closes the remaining connections after a timeout. */
export async function drain(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), LOOK);
  const force = setTimeout(() => app.server.closeAllConnections(), PATIENCE);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(force);
  }
}
