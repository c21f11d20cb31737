import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { rejectUnauthenticated, bearerTokenOf } from "../edge/admission.ts";
import { admin, openapi, transfer, type Resource } from "@parley/contract";
import type { MountRoutes } from "../edge/http-server.ts";
import { JSON_TYPE } from "../http/media-type.ts";
import { addRoute } from "../edge/route.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const WRONG_KEY_MESSAGE =
  "The admin key is missing or wrong: it stands in the file admin-key of the data folder. Send it as 'Authorization: Bearer <key>'.";

/** Authenticates requests by the admin key, compared in constant time. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export function createAdminAuthentication(key: string, guard: FailedAuthenticationLimit) {
  const expected = digest(key);
  const reject = rejectUnauthenticated(guard, WRONG_KEY_MESSAGE);
  return (request: FastifyRequest): null => {
    if (!timingSafeEqual(expected, digest(bearerTokenOf(request.headers.authorization)))) return reject(request);
    request.standing = guard.look(request.ip);
    return null;
  };
}

/** Path of the OpenAPI document. It needs no key, as the API's own document needs no token. */
export const ADMIN_OPENAPI_PATH = "/admin/openapi.json";

/** Mounts the endpoints below /admin, with the request handling of the API and authentication by the admin key. */
export const adminMount =
  ({
    key,
    slice,
    guard,
    tables = { admin, transfer },
  }: {
    readonly key: string;
    readonly slice: ResourceRoutes;
    readonly guard: FailedAuthenticationLimit;
    /** The endpoints that the OpenAPI document lists. */
    readonly tables?: Readonly<Record<string, Resource>>;
  }): MountRoutes =>
  (app, onRequest) => {
    const deps = {
      admit: createAdminAuthentication(key, guard),
      originOf: () => "",
      fresh: (text: string) => text,
      base: "",
    };
    for (const [operation, row] of Object.entries(slice.resource)) {
      const handler = slice.handlers[operation];
      if (handler) addRoute(app, deps, row, handler);
    }
    const document = JSON.stringify(openapi("/", tables, "Parley admin"));
    app.get(ADMIN_OPENAPI_PATH, { onRequest }, async (_, reply) =>
      reply.header("content-type", JSON_TYPE).send(document),
    );
  };
