import type { Server } from "node:http";
import { admin, transfer, type Resource } from "@parley/contract";
import { createFailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { createKernel } from "../edge/kernel.ts";
import type { ObserveReply } from "../edge/send-error.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
import { adminMount, ADMIN_BODY_LIMIT } from "./mount.ts";

/** Addresses below /admin that outlive the service beside which they stand. */
export interface StandaloneAdmin {
  /** What requests are told to: nobody listens here. */
  readonly server: Server;
  /** Whether a path is one of these addresses, or below the one given. */
  isBelow(path: string): boolean;
  close(): Promise<void>;
}

export interface StandaloneAdminOptions {
  readonly adminKey: string;
  /** Where the addresses begin, such as /admin/world. */
  readonly place: string;
  /** Name of the table in the document. */
  readonly name: string;
  readonly slice: ResourceRoutes;
  readonly now: Ports["now"];
  readonly observe?: ObserveReply | undefined;
  readonly log: (line: string) => void;
}

/** Opens them behind the door of the other addresses for the owner; their document says those too. */
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
    isBelow: (path) => path === ADMIN_BODY_LIMIT || path === place || path.startsWith(`${place}/`),
    close: () => app.close(),
  };
}
