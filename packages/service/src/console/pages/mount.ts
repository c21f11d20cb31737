import type { Admission } from "../../identity/edge/admission.ts";
import type { MountRoutes } from "../../http/area-module.ts";
import { addRoute, type RouteDeps } from "../../identity/edge/route.ts";
import { rowsWithHandlers, type ResourceRoutes } from "../../http/route-handlers.ts";

interface ConsoleMountDeps extends Pick<RouteDeps, "originOf" | "resignUrls"> {
  readonly tables: readonly ResourceRoutes[];
  readonly admit: Admission;
}

/** Mounts the endpoints of the console, with the request handling of the API. */
export const consoleMount =
  ({ tables, ...deps }: ConsoleMountDeps): MountRoutes =>
  (app) => {
    for (const { row, handler } of tables.flatMap(rowsWithHandlers)) addRoute(app, { ...deps, base: "" }, row, handler);
  };
