import type { IncomingMessage } from "node:http";
import { LIMITS, MALFORMED_REQUEST, NOT_FOUND, Refusal } from "@parley/contract";
import { boundConnections, isValidHost, requestTimeouts, type RequestTimeouts } from "@parley/ingress";
import { NO_METRICS, type Log, type Metrics } from "@parley/telemetry";
import fastify, { type FastifyInstance } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { realPorts } from "../../base/environment/ports.ts";
import { nearestAddress, withWordHint } from "./address-hints.ts";
import { createAnswerDeadline, type AnswerDeadline } from "./answer-deadline.ts";
import { plainUrl } from "./host.ts";
import { type CountCall, addMethodNotAllowed } from "./method-not-allowed.ts";
import { addLoadShedding, type LoadBounds } from "./load-shedding.ts";
import { type ObserveReply, createSendError, createSocketErrorHandlers } from "./send-error.ts";
import { createRequestIds, REQUEST_ID_HEADER } from "./request-id.ts";
import { createRequestLog } from "./request-log.ts";
import { addRequestMetrics } from "./request-metrics.ts";
import { addRequestTraces } from "./request-traces.ts";
import { addBodyParser } from "./route.ts";

/** Options of Node's HTTP server. */
export const serverOptions = (timeouts?: RequestTimeouts) => ({
  // Node would refuse a request without a Host header with an empty body.
  requireHostHeader: false,
  ...requestTimeouts(timeouts),
});

export type EarlyRefusal = (request: IncomingMessage) => Refusal | undefined;

export interface KernelOptions {
  readonly guard: FailedAuthenticationLimit;
  /** Addresses of proxies whose X-Forwarded-For header is trusted; no addresses when absent. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Absent: unknown addresses and methods are not counted. */
  readonly countCall?: CountCall | undefined;
  /** Called for every reply. */
  readonly observe?: ObserveReply | undefined;
  readonly timeouts?: RequestTimeouts | undefined;
  /** Defaults when absent. */
  readonly loadBounds?: LoadBounds | undefined;
  /** Duration from which on a request is logged; the default when absent. @units milliseconds */
  readonly slowRequestMs?: number | undefined;
  /** Refuses a request before any other check, for simulated failures. */
  readonly earlyRefusal?: EarlyRefusal | undefined;
  /** None when absent. */
  readonly metrics?: Metrics | undefined;
  readonly log: Log;
}

interface Kernel {
  readonly app: FastifyInstance;
  /** Bounds the time of writes. */
  readonly deadline: AnswerDeadline;
  /** Adds the replies to unsupported methods. Call it after the last route. */
  addOthers(): void;
}

/** An HTTP application without routes: parsing, limits and error replies. */
export function createKernel({
  guard,
  countCall,
  observe,
  timeouts,
  loadBounds,
  slowRequestMs,
  earlyRefusal,
  trustedProxies,
  metrics = NO_METRICS,
  log,
}: KernelOptions): Kernel {
  const requestLog = createRequestLog(log, slowRequestMs);
  const sendError = createSendError({ guard, observe, metrics, requestLog, log });
  const socketErrors = createSocketErrorHandlers({ guard, observe });
  const http = serverOptions(timeouts);
  const app = fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: createRequestIds(realPorts.random),
    ...(trustedProxies && { trustProxy: [...trustedProxies] }),
    bodyLimit: LIMITS.body_bytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    rewriteUrl: ({ url = "/" }) => plainUrl(url),
    requestTimeout: http.requestTimeout,
    http,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: socketErrors.clientError,
  });
  socketErrors.listen(app.server);
  boundConnections(app.server);
  const methods = addMethodNotAllowed(app, countCall);
  app.setErrorHandler((thrown, request, reply) =>
    sendError(withWordHint(thrown, request, app.servedAddresses()), request, reply),
  );
  app.setNotFoundHandler(async (request, reply) => {
    await countCall?.(request);
    methods.check(request.url.split("?")[0] ?? "", request.method, reply);
    const nearest = nearestAddress(request.url.split("?")[0] ?? "", app.servedAddresses());
    const words =
      nearest && `There is nothing at this address. The closest one in the API reference at /docs is ${nearest}.`;
    return sendError(new Refusal(NOT_FOUND, words), request, reply);
  });
  // Replies of the API are written without this hook: see route.ts.
  app.addHook("onSend", (request, reply, payload, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    done(null, payload);
  });
  // Nearly all requests name the same host.
  let lastValidHost: string | undefined;
  const isValid = (host: string): boolean => {
    if (host === lastValidHost) return true;
    if (!isValidHost(host)) return false;
    lastValidHost = host;
    return true;
  };
  app.addHook("onRequest", (request, _, done) => {
    const { headers, httpVersion } = request.raw;
    const fault =
      headers.host === undefined
        ? httpVersion !== "1.0" && "The Host header is missing."
        : !isValid(headers.host) && "The Host header is not valid.";
    done(fault ? new Refusal(MALFORMED_REQUEST, fault) : earlyRefusal?.(request.raw));
  });
  if (observe)
    app.addHook("onResponse", (request, reply, done) => {
      const { route } = request.routeOptions.config;
      if (route !== undefined && reply.statusCode < 400) observe(route, String(reply.statusCode));
      done();
    });
  addRequestMetrics(app, metrics);
  addRequestTraces(app);
  addLoadShedding(app, { bounds: loadBounds, ended: (...request) => requestLog.ended(...request) });
  app.decorateRequest("caller", null);
  app.decorateRequest("rateLimit", null);
  addBodyParser(app);
  return { app, deadline: createAnswerDeadline(app, { sendError }), addOthers: () => methods.addOthers() };
}
