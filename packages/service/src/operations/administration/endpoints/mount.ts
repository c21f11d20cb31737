import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import {
  type FailedAuthenticationLimit,
  createFailedAuthenticationLimit,
} from "../../../identity/allowance/failed-authentication.ts";
import { refuseUnauthenticated, bearerTokenOf } from "../../../identity/edge/failed-authentication.ts";
import type { SessionAdmission } from "../../../identity/edge/session-admission.ts";
import { admin, identity, openapi, transfer, type Access, type Resource } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { MountRoutes } from "../../../http/area-module.ts";
import { JSON_TYPE } from "../../../http/media-type.ts";
import { addRoute, type RouteDeps } from "../../../identity/edge/route.ts";
import { rowsWithHandlers, type ApiCaller, type ResourceRoutes } from "../../../http/route-handlers.ts";
import type { Server } from "node:http";
import { createKernel } from "../../../identity/edge/kernel.ts";
import type { ObserveReply } from "../../../identity/edge/send-error.ts";
import type { Ports } from "../../../base/environment/ports.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const WRONG_KEY_MESSAGE =
  "The admin key is missing or wrong: it stands in the file admin-key of the data folder. Send it as 'Authorization: Bearer <key>'.";

/** Authenticates requests by the admin key, compared in constant time. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
function createAdminAuthentication(key: string, guard: FailedAuthenticationLimit) {
  const expected = digest(key);
  const reject = refuseUnauthenticated(guard, WRONG_KEY_MESSAGE);
  return (request: FastifyRequest): null => {
    if (!timingSafeEqual(expected, digest(bearerTokenOf(request.headers.authorization)))) return reject(request);
    request.rateLimit = guard.state(request.ip);
    return null;
  };
}

interface AdminAdmissionDeps {
  readonly key: string;
  readonly guard: FailedAuthenticationLimit;
  /** Absent: sessions are not admitted. */
  readonly sessionAdmission: SessionAdmission | undefined;
}

/** Admits requests by a session where the row accepts a session, and by the admin key. -> null for the admin key */
export const createAdminAdmission = ({ key, guard, sessionAdmission }: AdminAdmissionDeps) => {
  const authenticate = createAdminAuthentication(key, guard);
  return (request: FastifyRequest, access: Access): ApiCaller | null | Promise<ApiCaller> =>
    sessionAdmission?.hasSession(request) ? sessionAdmission.admit(request, access) : authenticate(request);
};

/** Path of the OpenAPI document. It needs no key, as the API's own document needs no token. */
const ADMIN_OPENAPI_PATH = "/admin/openapi.json";

/**
 * Mounts the endpoints below /admin, with the request handling of the API. They are authenticated by the admin key, or by a session where the
 * row of the contract accepts a session.
 */
export const adminMount =
  ({
    key,
    slice,
    guard,
    sessionAdmission,
    originOf = () => "",
    resignUrls,
    uploadOriginOf,
    tables = { admin, transfer, ...identity },
  }: {
    readonly key: string;
    readonly slice: ResourceRoutes;
    readonly guard: FailedAuthenticationLimit;
    /** Absent: sessions are not admitted. */
    readonly sessionAdmission?: SessionAdmission;
    /** Origin of the links in replies, by the Host header. */
    readonly originOf?: RouteDeps["originOf"];
    /** Renews addresses of uploads in replies to sessions, whose pages show them. Other replies contain them as they are stored. */
    readonly resignUrls?: RouteDeps["resignUrls"];
    readonly uploadOriginOf?: RouteDeps["uploadOriginOf"];
    /** The endpoints that the OpenAPI document lists. */
    readonly tables?: Readonly<Record<string, Resource>>;
  }): MountRoutes =>
  (app, onRequest) => {
    const admit = createAdminAdmission({ key, guard, sessionAdmission });
    const deps = { admit, originOf, resignUrls, uploadOriginOf, base: "", otherActor: "operator" } as const;
    for (const { row, handler } of rowsWithHandlers(slice)) addRoute(app, deps, row, handler);
    const document = JSON.stringify(openapi("/", tables, "Parley admin"));
    app.get(ADMIN_OPENAPI_PATH, { onRequest }, async (_, reply) =>
      reply.header("content-type", JSON_TYPE).send(document),
    );
  };

/** Endpoints below /admin that outlive the service, such as those that replace it. */
export interface StandaloneAdmin {
  /** Requests are emitted on this server; it doesn't listen itself. */
  readonly server: Server;
  /** Whether a path is the OpenAPI document or within the given base path. */
  isBelow(path: string): boolean;
  close(): Promise<void>;
}

export interface StandaloneAdminOptions {
  readonly adminKey: string;
  /** Base path of the endpoints, such as /admin/world. */
  readonly basePath: string;
  /** Name of the resource in the OpenAPI document. */
  readonly name: string;
  readonly slice: ResourceRoutes;
  readonly now: Ports["now"];
  readonly observe?: ObserveReply | undefined;
  readonly log: Log;
}

/** Serves these endpoints with admin authentication, and the OpenAPI document with their descriptions. */
export async function startStandaloneAdmin({
  adminKey: key,
  basePath,
  name,
  slice,
  now,
  observe,
  log,
}: StandaloneAdminOptions): Promise<StandaloneAdmin> {
  const guard = createFailedAuthenticationLimit({ now });
  // Requests of this address, such as a reset, take their time.
  const core = createKernel({ guard, observe, log, slowRequestMs: Infinity });
  const { app } = core;
  const tables: Record<string, Resource> = { admin, transfer, ...identity, [name]: slice.resource };
  void adminMount({ key, slice, guard, tables })(app, (_request, _reply) => Promise.resolve());
  core.addOthers();
  await app.ready();
  return {
    server: app.server,
    isBelow: (path) => path === ADMIN_OPENAPI_PATH || path === basePath || path.startsWith(`${basePath}/`),
    close: () => app.close(),
  };
}
