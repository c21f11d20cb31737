import { refuse, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import type { HealthCheck } from "../../base/health/health.ts";
import { createCallCounter, type Admission, type AdmissionDeps } from "./admission.ts";
import { addObjectRoutes, type ServeObjectsDeps } from "../../base/objects/serve-objects.ts";
import type { StorageHealth } from "../../base/objects/storage-health.ts";
import { hasDeadline } from "./answer-deadline.ts";
import { addCors } from "./cors.ts";
import { addDocs } from "./docs.ts";
import { createKernel, type KernelOptions } from "./kernel.ts";
import { createOriginOf } from "./host.ts";
import { addRoute, type RouteDeps } from "./route.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../../http/route-handlers.ts";
import { setRateLimitHeaders } from "./rate-limit-headers.ts";
import { addFormParser } from "./upload.ts";

export interface HttpServerDeps extends Pick<AdmissionDeps, "callers" | "allowance">, Omit<KernelOptions, "counted"> {
  readonly slices: readonly ResourceRoutes[];
  readonly admit: Admission;
  /** Checks whether the database takes writes. */
  readonly health: HealthCheck;
  /** Whether the process will stop soon. */
  readonly isStopping: () => boolean;
  /** Serves signed object addresses. */
  readonly objects: ServeObjectsDeps & { readonly storageHealth: StorageHealth };
  /** Renews expired addresses of uploads in a reply. */
  readonly resignUrls?: RouteDeps["resignUrls"];
  /** Handles requests with an idempotency key. */
  readonly runIdempotently?: RouteDeps["runIdempotently"];
  /** Routes outside of the API, whose callers have no access token. Each authenticates its requests itself. */
  readonly mounts?: readonly MountRoutes[];
  /** Origin of addresses in replies; undefined: the origin of the request. */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call the API; no origins when absent. */
  readonly corsOrigins?: readonly string[] | undefined;
}

/** @units seconds */
const RETRY_AFTER_S = 1;

const STOPPING = "This process will stop: send requests to another process.";

/** Builds the HTTP application from the contract and its handlers. */
export async function createHttpServer(options: HttpServerDeps): Promise<FastifyInstance> {
  const {
    slices,
    health,
    isStopping,
    objects,
    mounts = [],
    publicUrl,
    corsOrigins = [],
    resignUrls,
    runIdempotently,
    admit,
    ...deps
  } = options;
  const core = createKernel({ ...deps, countCall: createCallCounter(deps) });
  const { app, deadline } = core;
  addCors(app, corsOrigins);
  // A client that keeps its connection would send the next request to a closed port.
  app.addHook("onRequest", (_, reply, done) => {
    if (isStopping()) reply.raw.setHeader("Connection", "close");
    done();
  });

  const routes = {
    admit,
    originOf: createOriginOf(publicUrl),
    resignUrls,
    runIdempotently,
  };
  // A separate Fastify context: on other routes a form is refused as a wrong media type.
  await app.register(async (forms) => {
    await addFormParser(forms);
    for (const slice of slices)
      for (const { operation, row, handler } of rowsWithHandlers(slice))
        addRoute(
          row.upload ? forms : app,
          {
            ...routes,
            deadline: hasDeadline(row) ? deadline : undefined,
            checksStoredReply: slice.checksStoredReply?.includes(operation),
          },
          row,
          handler,
        );
  });

  const countAddress = async (request: FastifyRequest, reply: FastifyReply) =>
    setRateLimitHeaders(reply, deps.guard.state(request.ip));
  const probe = { onRequest: countAddress, config: { isProbe: true } };
  app.get("/health", probe, async (_, reply) => {
    const reason = await health();
    if (reason !== undefined) refuse(SERVICE_UNAVAILABLE, reason, RETRY_AFTER_S);
    // Messages need no storage of uploads: a load balancer that reads the status code goes on sending requests.
    const message = await objects.storageHealth();
    const body = message === undefined ? { status: "ok" } : { status: "degraded", message };
    return reply.header("cache-control", "no-store").send(body);
  });
  // Readiness: whether a load balancer may send requests here.
  app.get("/ready", probe, async (_, reply) => {
    const reason = isStopping() ? STOPPING : await health();
    if (reason !== undefined) refuse(SERVICE_UNAVAILABLE, reason, RETRY_AFTER_S);
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
  // Liveness: checks the process without its database.
  app.get("/live", probe, async (_, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  await addDocs(app, countAddress);
  addObjectRoutes(app, countAddress, objects);
  for (const mount of mounts) await mount(app, countAddress);
  core.addOthers();
  return app;
}

/** How long requests in progress may delay the shutdown. @units milliseconds */
const DRAIN_TIMEOUT_MS = 3_000;
/** Interval between two checks for idle connections. @units milliseconds */
const IDLE_CHECK_INTERVAL_MS = 50;

/** Accepts no more connections, lets requests in progress end, and closes the remaining connections after a timeout. */
export async function drain(app: FastifyInstance, timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(force);
  }
}
