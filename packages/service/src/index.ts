/** The messaging service, which implements the API. */
export { startService, type MessagingService, type ServiceOptions } from "./service.ts";
export * from "./operation.ts";
export type { AccountDataOwner } from "./account-lifecycle/account-data.ts";
export type { AdminApi } from "./admin/admin.ts";
export { serviceConfig, type ServiceConfig } from "./configuration/config.ts";
export { startStandaloneAdmin, type StandaloneAdmin, type StandaloneAdminOptions } from "./admin/mount.ts";
export { plainUrl } from "./edge/host.ts";
export { defineRoutes, type RouteHandlers } from "./http/route-handlers.ts";
export { serverOptions } from "./edge/kernel.ts";
export type { ObserveReply } from "./edge/send-error.ts";
export { realPorts, type Ports } from "./environment/ports.ts";
export { DISPATCH_RULES, type DispatchRules } from "./dispatch/index.ts";
export { exportLines, importFile } from "./import/import-lines.ts";
export { generateLoad, type LoadResult, type LoadOptions } from "./load/load.ts";
export { sealedServiceRows } from "./secrets/sealed-rows.sql.ts";
export { csvOf } from "./reports/csv.ts";
export { hashOf } from "./identity/secrets/secrets.ts";
