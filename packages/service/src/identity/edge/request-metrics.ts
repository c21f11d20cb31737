import { consoleApi, messengerApi, rowsOf } from "@parley/contract";
import type { Metrics } from "@parley/telemetry";
import type { FastifyInstance } from "fastify";

/** Route of requests to an address without an endpoint: the requested address itself has any number of values. */
const NO_ENDPOINT = "other";

/** Endpoints whose responses end only when the client or the service does: they are counted while they are open, and not timed. */
const STREAM_ROUTES: ReadonlySet<string> = new Set(
  [...rowsOf(), ...rowsOf(consoleApi), ...rowsOf(messengerApi)].flatMap(({ row }) =>
    "type" in row.reply && row.reply.type === "text/event-stream" ? [row.route] : [],
  ),
);

/** Counts and times the requests of an HTTP server, by the pattern of their route. */
export const addRequestMetrics = (app: FastifyInstance, metrics: Metrics): void => {
  if (!metrics.isOn) return;
  const observe = metrics.histogram("parley_http_request_duration_seconds");
  const open = { requests: 0, streams: 0 };
  metrics.gauge("parley_http_requests_in_progress", () => [{ labels: {}, value: open.requests }]);
  metrics.gauge("parley_http_streams", () => [{ labels: {}, value: open.streams }]);
  app.addHook("onRequest", ({ routeOptions }, reply, done) => {
    const kind = STREAM_ROUTES.has(routeOptions.config.route ?? "") ? "streams" : "requests";
    open[kind] += 1;
    // Emitted once for each response, also for one whose client has disconnected.
    reply.raw.once("close", () => (open[kind] -= 1));
    done();
  });
  app.addHook("onResponse", ({ method, routeOptions }, reply, done) => {
    const { route = routeOptions.url === undefined ? NO_ENDPOINT : `${method} ${routeOptions.url}` } =
      routeOptions.config;
    if (!STREAM_ROUTES.has(route)) observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
    done();
  });
};
