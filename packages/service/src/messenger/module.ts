import { MESSENGER_LIMITS } from "@parley/contract";
import type { Base } from "../base/module.ts";
import type { Events } from "../events/module.ts";
import type { AreaModule, MountRoutes } from "../http/area-module.ts";
import type { RunIdempotently } from "../http/idempotency/idempotency.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../http/route-handlers.ts";
import { createSessionLimit } from "../identity/allowance/session-limit.ts";
import { createOriginOf } from "../identity/edge/host.ts";
import { addRoute } from "../identity/edge/route.ts";
import { addFormParser } from "../identity/edge/upload.ts";
import type { Identity } from "../identity/module.ts";
import type { Messaging } from "../messaging/module.ts";
import { createConversationReader } from "./conversations/reader.ts";
import { messengerConversationRoutes } from "./conversations/routes.ts";
import { createMessengerShapes } from "./shapes/message.ts";
import { visitorUploadEraser, visitorUploadRoutes } from "./uploads/routes.ts";

interface MessengerDeps {
  readonly base: Base;
  readonly messaging: Messaging;
  readonly identity: Identity;
  readonly events: Events;
  readonly config: { readonly publicUrl?: string | undefined };
  readonly runIdempotently: RunIdempotently;
}

/** What customers' browsers call: the endpoints of the messenger, its script and its pages. */
export const createMessengerModule = ({ base, messaging, identity, config, runIdempotently }: MessengerDeps) => {
  const { pool, reads, ports, openedObjects } = base;
  const { directory, conversations, rate, thread, uploadImage, uploadFile } = messaging;
  const shapes = createMessengerShapes({ directory });
  const reader = createConversationReader({ reads, thread, shapes });
  const tables: readonly ResourceRoutes[] = [
    messengerConversationRoutes({
      ...{ reader, conversations, rate, directory, addresses: openedObjects.addresses },
      messageLimit: createSessionLimit({ now: ports.now, limit: MESSENGER_LIMITS.messages_per_minute }),
    }),
    visitorUploadRoutes({ pool, now: ports.now, uploadImage, uploadFile }),
  ];
  const originOf = createOriginOf(config.publicUrl);
  const mount: MountRoutes = async (app) => {
    const deps = { admit: identity.edge.admit, originOf, resignUrls: messaging.resignUrls, runIdempotently, base: "" };
    // A separate Fastify context: on other routes a form is refused as a wrong media type.
    await app.register(async (forms) => {
      await addFormParser(forms);
      for (const table of tables)
        for (const { operation, row, handler } of rowsWithHandlers(table)) {
          const own = { ...deps, replyOfMessage: table.replyOfMessage?.[operation] };
          addRoute(row.upload ? forms : app, row.access.isPublic ? { ...own, admit: () => null } : own, row, handler);
        }
    });
  };
  return { mounts: [mount], erasers: [visitorUploadEraser] } satisfies AreaModule & Record<string, unknown>;
};
