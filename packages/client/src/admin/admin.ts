/** Endpoints that pages of the administration need beside `@parley/client/session`: they load this module when they are opened. */
export { ADMIN_ROUTES } from "./contract-values.ts";
