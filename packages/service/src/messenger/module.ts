import type { Base } from "../base/module.ts";
import type { Events } from "../events/module.ts";
import type { AreaModule, MountRoutes } from "../http/area-module.ts";
import type { RunIdempotently } from "../http/idempotency/idempotency.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../http/route-handlers.ts";
import { createOriginOf } from "../identity/edge/host.ts";
import { addRoute } from "../identity/edge/route.ts";
import type { Identity } from "../identity/module.ts";
import type { Messaging } from "../messaging/module.ts";

interface MessengerDeps {
  readonly base: Base;
  readonly messaging: Messaging;
  readonly identity: Identity;
  readonly events: Events;
  readonly config: { readonly publicUrl?: string | undefined };
  readonly runIdempotently: RunIdempotently;
}

/** What customers' browsers call: the endpoints of the messenger, its script and its pages. */
export const createMessengerModule = ({ messaging, identity, config, runIdempotently }: MessengerDeps) => {
  const tables: readonly ResourceRoutes[] = [];
  const originOf = createOriginOf(config.publicUrl);
  const mount: MountRoutes = (app) => {
    const deps = { admit: identity.edge.admit, originOf, resignUrls: messaging.resignUrls, runIdempotently, base: "" };
    for (const { row, handler } of tables.flatMap(rowsWithHandlers))
      addRoute(app, row.access.isPublic ? { ...deps, admit: () => null } : deps, row, handler);
  };
  return { mounts: [mount] } satisfies AreaModule & Record<string, unknown>;
};
