import {
  contextOf,
  currentTraceParent,
  inContext,
  isTracing,
  openSpan,
  TRACE_PARENT_HEADER,
  type OpenSpan,
} from "@parley/telemetry";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    span: OpenSpan | null;
  }
}

/** Route of requests to an address without an endpoint. */
const NO_ENDPOINT = "other";

/**
 * Opens a span for each request, below the span of the client if it sends a span, and runs the handler in it. Without the SDK of OpenTelemetry
 * nothing is added.
 */
export const addRequestTraces = (app: FastifyInstance): void => {
  if (!isTracing()) return;
  app.decorateRequest("span", null);
  app.addHook("onRequest", (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const { route = routeOptions.url === undefined ? `${method} ${NO_ENDPOINT}` : `${method} ${routeOptions.url}` } =
      routeOptions.config;
    const given = headers[TRACE_PARENT_HEADER];
    request.span = openSpan(route, {
      kind: "server",
      // The SDK may have opened a span for the connection's request by itself.
      parent: currentTraceParent() === undefined ? contextOf(typeof given === "string" ? given : undefined) : undefined,
      attributes: { "http.request.method": method, "http.route": route, "parley.request_id": request.id },
    });
    done();
  });
  // After the body, whose events belong to the connection and not to the request.
  app.addHook("preHandler", ({ span }, _reply, done) => (span ? inContext(span.context, done) : done()));
  app.addHook("onResponse", ({ span, caller }, { statusCode }, done) => {
    span?.set({
      "http.response.status_code": statusCode,
      ...(caller && { "parley.account": caller.account.name }),
    });
    if (statusCode >= 500) span?.fail();
    span?.end();
    done();
  });
};
