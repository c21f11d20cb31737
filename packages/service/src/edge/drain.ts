import type { FastifyInstance } from "fastify";

/** How long requests under way may hold up a close. @units milliseconds */
const PATIENCE = 3_000;
/** Between two looks for connections that became idle. @units milliseconds */
const LOOK = 50;

/** Takes no more connections, lets requests under way end, and cuts off what is not done in time. */
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
