import { admin, platform } from "@parley/contract";
import { admitsSessions, routesOf, type ClientRoutes } from "../client-routes.ts";

/** Endpoints of the administration of an account that admit a session, with complete paths. Evaluated like `../contract-values.ts`. */
export const ADMIN_ROUTES: ClientRoutes = routesOf({ admin, platform }, "", admitsSessions);
