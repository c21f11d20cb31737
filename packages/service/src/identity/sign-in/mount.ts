import type { Access, PageAddressOf } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { Admission } from "../edge/admission.ts";
import type { MountRoutes } from "../../http/area-module.ts";
import { addRoute } from "../edge/route.ts";
import { checkOrigin } from "../edge/session-admission.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../../http/route-handlers.ts";

interface IdentityMountDeps {
  readonly tables: readonly ResourceRoutes[];
  readonly admit: Admission;
  readonly guard: FailedAuthenticationLimit;
  readonly pageAddressOf: PageAddressOf;
}

/**
 * Mounts the endpoints below /identity, with the request handling of the API. A request that needs no credential must come from a page of
 * this service if it changes anything, so that another page can't sign its visitor in.
 */
export const identityMount =
  ({ tables, admit, guard, pageAddressOf }: IdentityMountDeps): MountRoutes =>
  (app) => {
    const admitRequest = (request: FastifyRequest, access: Access) => {
      if (!access.isPublic) return admit(request, access);
      request.rateLimit = guard.state(request.ip);
      checkOrigin(request, pageAddressOf);
      return null;
    };
    for (const { row, handler } of tables.flatMap(rowsWithHandlers))
      addRoute(app, { admit: admitRequest, originOf: () => "", base: "" }, row, handler);
  };
