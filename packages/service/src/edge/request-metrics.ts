import type { Metrics } from "@parley/telemetry";
import type { FastifyInstance } from "fastify";

/** Route of requests to an address without an endpoint: the requested address itself has any number of values. */
const NO_ENDPOINT = "other";

/** Counts and times the requests of an HTTP server, by the pattern of their route. */
export const addRequestMetrics = (app: FastifyInstance, metrics: Metrics): void => {
  if (!metrics.isOn) return;
  const observe = metrics.histogram("parley_http_request_duration_seconds");
  let inProgress = 0;
  metrics.gauge("parley_http_requests_in_progress", () => [{ labels: {}, value: inProgress }]);
  app.addHook("onRequest", (_request, reply, done) => {
    inProgress += 1;
    // Emitted once for each response, also for one whose client has disconnected.
    reply.raw.once("close", () => (inProgress -= 1));
    done();
  });
  app.addHook("onResponse", ({ method, routeOptions }, reply, done) => {
    const { route = routeOptions.url === undefined ? NO_ENDPOINT : `${method} ${routeOptions.url}` } =
      routeOptions.config;
    observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
    done();
  });
};
