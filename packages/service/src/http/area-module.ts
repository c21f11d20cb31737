import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { PersonalDataEraser } from "../base/db/tables.ts";
import type { JobTasks } from "../base/jobs/index.ts";
import type { ResourceRoutes } from "./route-handlers.ts";

/** Adds routes outside of the API's table. Each authenticates its requests itself. */
export type MountRoutes = (app: FastifyInstance, onRequest: onRequestAsyncHookHandler) => void | Promise<void>;

/** Contributions of an area to the service. The `module.ts` of each area creates them from the areas below. */
export interface AreaModule {
  /** Endpoints of the API. */
  readonly routes?: readonly ResourceRoutes[];
  /** Endpoints of the console, which admit sessions only. */
  readonly consoleRoutes?: readonly ResourceRoutes[];
  readonly mounts?: readonly MountRoutes[];
  /** Background jobs. */
  readonly tasks?: JobTasks;
  /** Erase the personal data of a deleted user in the area's tables. */
  readonly erasers?: readonly PersonalDataEraser[];
  /** Starts the background work. Called once, when the service listens. */
  begin?(): void;
  /** @shape graceMs: how long deliveries in progress may delay the end; the default when absent @units milliseconds */
  close?(graceMs?: number): Promise<void>;
}
