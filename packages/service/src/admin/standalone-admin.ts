import type { Server } from "node:http";
import { admin, transfer, type Resource } from "@parley/contract";
import { createFailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { createKernel } from "../edge/kernel.ts";
import type { ObserveReply } from "../edge/send-error.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
import { adminMount, ADMIN_OPENAPI_PATH } from "./mount.ts";

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
  readonly place: string;
  /** Name of the resource in the OpenAPI document. */
  readonly name: string;
  readonly slice: ResourceRoutes;
  readonly now: Ports["now"];
  readonly observe?: ObserveReply | undefined;
  readonly log: (line: string) => void;
}

/** Serves these endpoints with admin authentication, and the OpenAPI document with their descriptions. */
export async function startStandaloneAdmin({
  adminKey: key,
  place,
  name,
  slice,
  now,
  observe,
  log,
}: StandaloneAdminOptions): Promise<StandaloneAdmin> {
  const guard = createFailedAuthenticationLimit({ now });
  const core = createKernel({ guard, observe, log });
  const { app } = core;
  const tables: Record<string, Resource> = { admin, transfer, [name]: slice.resource };
  void adminMount({ key, slice, guard, tables })(app, (_request, _reply) => Promise.resolve());
  core.addOthers();
  await app.ready();
  return {
    server: app.server,
    isBelow: (path) => path === ADMIN_OPENAPI_PATH || path === place || path.startsWith(`${place}/`),
    close: () => app.close(),
  };
}
