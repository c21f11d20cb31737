import type { MountRoutes } from "../http/area-module.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../http/route-handlers.ts";
import { addRoute, type RouteDeps } from "../identity/edge/route.ts";
import { addFormParser } from "../identity/edge/upload.ts";

type MountDeps = Pick<RouteDeps, "admit" | "originOf" | "resignUrls" | "runIdempotently">;

/** Mounts tables of the messenger's endpoints, with the request handling of the API. */
export const messengerMount =
  (deps: MountDeps, tables: readonly ResourceRoutes[]): MountRoutes =>
  async (app) => {
    // A separate Fastify context: on other routes a form is refused as a wrong media type.
    await app.register(async (forms) => {
      await addFormParser(forms);
      for (const table of tables)
        for (const { operation, row, handler } of rowsWithHandlers(table)) {
          const own = { ...deps, base: "", replyOfMessage: table.replyOfMessage?.[operation] };
          addRoute(row.upload ? forms : app, row.access.isPublic ? { ...own, admit: () => null } : own, row, handler);
        }
    });
  };

/** Lets pages of all sites read the replies of the routes that `mount` adds: whether a page is listed is part of the reply. */
export const readableByAllSites =
  (mount: MountRoutes): MountRoutes =>
  async (app, onRequest) => {
    await app.register(async (scope) => {
      scope.addHook("onRequest", (_, reply, done) => {
        // Set on the raw reply, since replies of the API bypass Fastify's own header handling.
        reply.raw.setHeader("Access-Control-Allow-Origin", "*");
        done();
      });
      await mount(scope, onRequest);
    });
  };
