import type { FastifyInstance } from "fastify";

/** Addresses for load balancers and monitoring. */
export const HEALTH_PATHS: readonly string[] = ["/live", "/health"];

/** @shape isRegistered: whether the process can run apps: it renews its registration in the database every second */
export const healthRoutes = (scope: FastifyInstance, isRegistered: () => boolean): void => {
  scope.get("/live", async (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  scope.get("/health", async (_request, reply) => {
    void reply.header("cache-control", "no-store");
    if (isRegistered()) return { status: "ok" };
    const message = "This process of the platform can't reach the database in time: it runs no apps at present.";
    return reply.code(503).header("retry-after", 1).send({ code: 503, status: "SERVICE_UNAVAILABLE", message });
  });
};
