/** What pages of the administration need beside `@parley/client/session`: they load it when they are opened. */
export { ADMIN_ROUTES } from "./admin/contract-values.ts";
