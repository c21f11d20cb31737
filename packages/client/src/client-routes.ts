import { rowsOf, type Endpoint } from "@parley/contract";

/** The parts of an endpoint that a client needs to call it. */
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

/** -> routes of the endpoints of a table that are included, with `base` before their paths */
export const routesOf = (table: Parameters<typeof rowsOf>[0], base: string, includes: (row: Endpoint) => boolean) => {
  const routes: Record<string, Record<string, ClientRoute>> = {};
  for (const { resource, operation, row } of rowsOf(table))
    if (includes(row)) (routes[resource] ??= {})[operation] = clientRouteOf(row, base);
  return routes;
};

/** Whether pages with a session can call an endpoint. */
export const admitsSessions = ({ access }: Endpoint): boolean =>
  access.session !== undefined || access.isPublic === true;
