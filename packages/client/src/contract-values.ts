import {
  api,
  BASE_PATH,
  consoleApi,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_IN_USE,
  identity,
  LAST_EVENT_ID,
  rowsOf,
  SESSION_TOKEN,
  UNAUTHENTICATED,
  type Endpoint,
} from "@parley/contract";

/**
 * The values of the contract that the clients need at run time, without its schemas. Bundles contain the evaluated exports of this module
 * instead of the module (`scripts/contract-values.mjs`), so that pages don't load the schemas: each export must be expressible in JSON.
 */

/** What a client must know of an endpoint to call it. */
export interface ClientRoute {
  /** Method and path, such as `GET /users/{user_id}`. */
  readonly route: string;
  readonly acceptsIdempotencyKey?: true;
  /** The reply has a link to the next page. */
  readonly isList?: true;
  /** The part of the multipart form that holds the file. */
  readonly uploadPart?: string;
  /** Media type of the reply if it is not JSON. */
  readonly replyType?: string;
}
/** Routes by resource and operation. */
export type ClientRoutes = Readonly<Record<string, Readonly<Record<string, ClientRoute>>>>;

const isList = ({ query }: Endpoint): boolean => {
  const { properties = {} }: { properties?: Record<string, unknown> } = query ?? {};
  return "page" in properties;
};

const clientRouteOf = (row: Endpoint, base: string): ClientRoute => ({
  route: row.route.replace(" ", ` ${base}`),
  ...(row.acceptsIdempotencyKey && { acceptsIdempotencyKey: true }),
  ...(isList(row) && { isList: true }),
  ...(row.upload && { uploadPart: row.upload.part }),
  ...(row.reply.type && { replyType: row.reply.type }),
});

const routesOf = (table: Parameters<typeof rowsOf>[0], base: string, includes: (row: Endpoint) => boolean) => {
  const routes: Record<string, Record<string, ClientRoute>> = {};
  for (const { resource, operation, row } of rowsOf(table))
    if (includes(row)) (routes[resource] ??= {})[operation] = clientRouteOf(row, base);
  return routes;
};

const admitsSessions = ({ access }: Endpoint): boolean => access.session !== undefined || access.isPublic === true;

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
