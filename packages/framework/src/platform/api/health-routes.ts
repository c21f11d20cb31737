import type { FastifyInstance, FastifyReply } from "fastify";

/** Addresses for load balancers and monitoring. */
export const HEALTH_PATHS: readonly string[] = ["/live", "/ready", "/health"];

interface HealthRoutesDeps {
  /** Whether the process can run apps: it renews its registration in the database every second. */
  readonly isRegistered: () => boolean;
  /** Whether the process will stop soon. */
  readonly isStopping: () => boolean;
}

const UNREGISTERED = "This process of the platform can't reach the database in time: it runs no apps at present.";
const STOPPING = "This process of the platform will stop: send requests to another process.";

export const healthRoutes = (scope: FastifyInstance, { isRegistered, isStopping }: HealthRoutesDeps): void => {
  const answer = (reply: FastifyReply, reason: string | undefined) => {
    void reply.header("cache-control", "no-store");
    if (reason === undefined) return { status: "ok" };
    return reply.code(503).header("retry-after", 1).send({ code: 503, status: "SERVICE_UNAVAILABLE", message: reason });
  };
  const unregistered = () => (isRegistered() ? undefined : UNREGISTERED);
  scope.get("/live", async (_request, reply) => answer(reply, undefined));
  scope.get("/ready", async (_request, reply) => answer(reply, isStopping() ? STOPPING : unregistered()));
  scope.get("/health", async (_request, reply) => answer(reply, unregistered()));
};
