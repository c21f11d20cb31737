import { LIMITS, METHOD_NOT_ALLOWED, NOT_FOUND, refuse, Refusal, routeOf, type Method } from "@parley/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { admission, tell, type AdmissionDeps } from "./admission.ts";
import { refuseClient } from "./client-error.ts";
import { addObjects, type ServingDeps } from "../objects/serving.ts";
import { addDocs } from "./docs.ts";
import { originsOf } from "./origin.ts";
import { findingOf, refusalBody } from "./refusal.ts";
import { addBodyParser, addRoute, JSON_TYPE, patternOf } from "./route.ts";
import type { Slice } from "./slice.ts";

export interface EdgeDeps extends AdmissionDeps {
  readonly slices: readonly Slice[];
  /** Asks the database for a sign of life. */
  readonly alive: () => Promise<unknown>;
  /** What signed addresses lead to. */
  readonly objects: ServingDeps;
  /** Origin of the addresses in replies; undefined: that of the request. */
  readonly publicUrl?: string | undefined;
  readonly log: (line: string) => void;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Builds the HTTP application out of the contract's table and its handlers. */
export async function edge({ slices, alive, objects, publicUrl, log, ...deps }: EdgeDeps): Promise<FastifyInstance> {
  const sayNo = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?")[0];
    const finding = findingOf(thrown, (text) => log(`${request.method} ${path} failed: ${text}`));
    if (!reply.hasHeader("x-ratelimit-limit")) tell(reply, deps.guard.look(request.ip));
    if (finding.retryAfter !== undefined) reply.header("retry-after", finding.retryAfter);
    return reply.code(finding.problem.code).header("content-type", JSON_TYPE).send(refusalBody(finding));
  };

  const app = fastify({
    logger: false,
    bodyLimit: LIMITS.body_bytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sayNo(error, request, reply),
    clientErrorHandler: refuseClient,
  });
  app.setErrorHandler(sayNo);
  app.setNotFoundHandler((request, reply) => sayNo(new Refusal(NOT_FOUND), request, reply));
  app.decorateRequest("caller", null);
  addBodyParser(app);

  const routes = { admit: admission(deps), originOf: originsOf(publicUrl) };
  for (const { resource, handlers } of slices)
    for (const [operation, row] of Object.entries(resource)) {
      const handler = handlers[operation];
      if (!handler) throw new Error(`${row.route} has no handler`);
      addRoute(app, routes, row, handler);
    }
  addOtherMethods(app, slices);

  const open = async (request: FastifyRequest, reply: FastifyReply) => tell(reply, deps.guard.look(request.ip));
  app.get("/health", { onRequest: open }, async (_, reply) => {
    await alive();
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
  await addDocs(app, open);
  addObjects(app, open, objects);
  return app;
}

/** An address that exists says which methods it takes. */
function addOtherMethods(app: FastifyInstance, slices: readonly Slice[]): void {
  const taken = new Map<string, Method[]>();
  for (const row of slices.flatMap(({ resource }) => Object.values(resource))) {
    const { method, path } = routeOf(row);
    taken.set(path, [...(taken.get(path) ?? []), method]);
  }
  for (const [path, methods] of taken) {
    const allow = methods.includes("GET") ? ["HEAD", ...methods] : methods;
    app.route({
      method: [...METHODS, "HEAD", "OPTIONS"].filter((method) => !allow.includes(method)),
      url: patternOf(path),
      handler: async (_, reply) => {
        reply.header("allow", allow.join(", "));
        refuse(METHOD_NOT_ALLOWED);
      },
    });
  }
}
