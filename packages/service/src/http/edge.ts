import { LIMITS, MALFORMED_REQUEST, NOT_FOUND, Refusal } from "@parley/contract";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from "fastify";
import { admission, type AdmissionDeps } from "./admission.ts";
import { socketRefusals } from "./client-error.ts";
import { addObjects, type ServingDeps } from "../objects/serving.ts";
import { addDocs } from "./docs.ts";
import { plainUrl } from "./host.ts";
import { methodsOf } from "./methods.ts";
import { originsOf } from "./origin.ts";
import type { Observe } from "./record.ts";
import { refusing } from "./refusing.ts";
import { addBodyParser, addRoute, type RouteDeps } from "./route.ts";
import type { Slice } from "./slice.ts";
import { tell } from "./standing.ts";
import { addFormParser } from "./upload.ts";

export interface EdgeDeps extends AdmissionDeps {
  readonly slices: readonly Slice[];
  /** Asks the database for a sign of life. */
  readonly alive: () => Promise<unknown>;
  /** What signed addresses lead to. */
  readonly objects: ServingDeps;
  /** Makes addresses of uploads in a reply work again. */
  readonly fresh?: RouteDeps["fresh"];
  /** Addresses outside of the API's table, whose callers have no token; each judges by itself who may come in. */
  readonly mounts?: readonly Mount[];
  /** Origin of the addresses in replies; undefined: that of the request. */
  readonly publicUrl?: string | undefined;
  /** Hears of every answer. */
  readonly observe?: Observe | undefined;
  readonly patience?: Patience | undefined;
  readonly log: (line: string) => void;
}

export type Mount = (app: FastifyInstance, onRequest: onRequestAsyncHookHandler) => void;

/** How long a request may take to arrive, and how often that is looked after. @units milliseconds */
export interface Patience {
  readonly request: number;
  readonly look: number;
}

/** @assumed Two minutes: enough for the largest upload over a slow line. */
const PATIENCE: Patience = { request: 120_000, look: 5_000 };
/** For the headers alone. @units milliseconds */
const HEADERS = 20_000;

/** Builds the HTTP application out of the contract's table and its handlers. */
export async function edge(options: EdgeDeps): Promise<FastifyInstance> {
  const { slices, alive, objects, mounts = [], publicUrl, fresh, observe, patience = PATIENCE, log, ...deps } = options;
  const sayNo = refusing({ guard: deps.guard, observe, log });
  const sockets = socketRefusals({ guard: deps.guard, observe });

  const app = fastify({
    logger: false,
    bodyLimit: LIMITS.body_bytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    rewriteUrl: ({ url = "/" }) => plainUrl(url),
    requestTimeout: patience.request,
    // Node would answer a request without a Host header by itself, with an empty body.
    http: {
      requireHostHeader: false,
      requestTimeout: patience.request,
      // Not longer than the other: Node would take the one for the other.
      headersTimeout: Math.min(HEADERS, patience.request),
      connectionsCheckingInterval: patience.look,
    },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sayNo(error, request, reply),
    clientErrorHandler: sockets.clientError,
  });
  sockets.listen(app.server);
  const methods = methodsOf(app);
  app.setErrorHandler(sayNo);
  app.setNotFoundHandler((request, reply) => {
    methods.check(request.url.split("?")[0] ?? "", request.method, reply);
    return sayNo(new Refusal(NOT_FOUND), request, reply);
  });
  app.addHook("onRequest", (request, _, done) => {
    const { headers, httpVersion } = request.raw;
    const isLost = headers.host === undefined && httpVersion !== "1.0";
    done(isLost ? new Refusal(MALFORMED_REQUEST, "The Host header is missing.") : undefined);
  });
  if (observe)
    app.addHook("onResponse", (request, reply, done) => {
      const { route } = request.routeOptions.config;
      if (route !== undefined && reply.statusCode < 400) observe(route, String(reply.statusCode));
      done();
    });
  app.decorateRequest("caller", null);
  addBodyParser(app);

  const routes = { admit: admission(deps), originOf: originsOf(publicUrl), fresh };
  // In a context of its own: everywhere else a form stays a body of the wrong type.
  await app.register(async (forms) => {
    await addFormParser(forms);
    for (const { resource, handlers } of slices)
      for (const [operation, row] of Object.entries(resource)) {
        const handler = handlers[operation];
        if (!handler) throw new Error(`${row.route} has no handler`);
        addRoute(row.upload ? forms : app, routes, row, handler);
      }
  });

  const open = async (request: FastifyRequest, reply: FastifyReply) => tell(reply, deps.guard.look(request.ip));
  app.get("/health", { onRequest: open }, async (_, reply) => {
    await alive();
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
  await addDocs(app, open);
  addObjects(app, open, objects);
  for (const mount of mounts) mount(app, open);
  methods.addOthers();
  return app;
}
