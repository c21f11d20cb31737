/** What pages of the administration need beside `@parley/client/session`: they load it when they are opened. */
export { ADMIN_ROUTES } from "./contract-values.ts";
