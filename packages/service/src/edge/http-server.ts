import { refuse, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { HealthCheck } from "../health/health.ts";
import { createAdmission, type AdmissionDeps, createCallCounter } from "./admission.ts";
import { addObjectRoutes, type ServeObjectsDeps } from "../objects/serve-objects.ts";
import { addCors } from "./cors.ts";
import { addDocs } from "./docs.ts";
import { createKernel, type KernelOptions } from "./kernel.ts";
import { createOriginOf } from "./host.ts";
import { addRoute, type RouteDeps } from "./route.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import { setRateLimitHeaders } from "./rate-limit-headers.ts";
import { addFormParser } from "./upload.ts";

export interface HttpServerDeps extends AdmissionDeps, Omit<KernelOptions, "counted"> {
  readonly slices: readonly ResourceRoutes[];
  /** Checks whether the database takes writes. */
  readonly health: HealthCheck;
  /** Serves signed object addresses. */
  readonly objects: ServeObjectsDeps;
  /** Renews expired addresses of uploads in a reply. */
  readonly fresh?: RouteDeps["fresh"];
  /** Handles requests with an idempotency key. */
  readonly once?: RouteDeps["once"];
  /** Routes outside of the API, whose callers have no access token. Each authenticates its requests itself. */
  readonly mounts?: readonly MountRoutes[];
  /** Origin of addresses in replies; undefined: the origin of the request. */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call the API; none when absent. */
  readonly corsOrigins?: readonly string[] | undefined;
}

export type MountRoutes = (app: FastifyInstance, onRequest: onRequestAsyncHookHandler) => void | Promise<void>;

/** @units seconds */
const LOOK_AGAIN_S = 1;

/** Builds the HTTP application from the contract and its handlers. */
export async function createHttpServer(options: HttpServerDeps): Promise<FastifyInstance> {
  const { slices, health, objects, mounts = [], publicUrl, corsOrigins = [], fresh, once, ...deps } = options;
  const core = createKernel({ ...deps, counted: createCallCounter(deps) });
  const { app } = core;
  addCors(app, corsOrigins);

  const routes = { admit: createAdmission(deps), originOf: createOriginOf(publicUrl), fresh, once };
  // A separate Fastify context: on other routes a form is refused as a wrong media type.
  await app.register(async (forms) => {
    await addFormParser(forms);
    for (const { resource, handlers, seesKept } of slices)
      for (const [operation, row] of Object.entries(resource)) {
        const handler = handlers[operation];
        if (!handler) throw new Error(`${row.route} has no handler`);
        addRoute(row.upload ? forms : app, { ...routes, seesKept: seesKept?.includes(operation) }, row, handler);
      }
  });

  const open = async (request: FastifyRequest, reply: FastifyReply) =>
    setRateLimitHeaders(reply, deps.guard.look(request.ip));
  app.get("/health", { onRequest: open }, async (_, reply) => {
    const reason = await health();
    if (reason !== undefined) refuse(SERVICE_UNAVAILABLE, reason, LOOK_AGAIN_S);
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
  // Liveness: checks the process without its database.
  app.get("/live", { onRequest: open }, async (_, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok" }),
  );
  await addDocs(app, open);
  addObjectRoutes(app, open, objects);
  for (const mount of mounts) await mount(app, open);
  core.addOthers();
  return app;
}
