import {
  api,
  BASE_PATH,
  consoleApi,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_IN_USE,
  identity,
  LAST_EVENT_ID,
  SESSION_TOKEN,
  UNAUTHENTICATED,
} from "@parley/contract";
import { admitsSessions, routesOf, type ClientRoutes } from "./client-routes.ts";

/**
 * The values of the contract that the clients need at run time, without its schemas. Bundles contain the evaluated exports of this module
 * instead of the module (`scripts/contract-values.mjs`), so that pages don't load the schemas: each export must be expressible in JSON.
 */

/** Endpoints of the API, relative to the base path of the account. */
export const API_ROUTES: ClientRoutes = routesOf(api, "", () => true);

/** Endpoints that admit a session or need no credential, with complete paths. */
export const SESSION_ROUTES: ClientRoutes = {
  ...routesOf(api, BASE_PATH, admitsSessions),
  ...routesOf(identity, "", admitsSessions),
  ...routesOf(consoleApi, "", admitsSessions),
};

/** Names and values in requests and responses. */
export const WIRE = {
  basePath: BASE_PATH,
  idempotencyKey: IDEMPOTENCY_KEY,
  lastEventId: LAST_EVENT_ID,
  sessionToken: SESSION_TOKEN,
  keyInUse: { code: IDEMPOTENCY_KEY_IN_USE.code, status: IDEMPOTENCY_KEY_IN_USE.status },
  unauthenticated: UNAUTHENTICATED.status,
} as const;
