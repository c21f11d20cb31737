/** The messaging service, which implements the API. */
export { startService, type MessagingService } from "./service.ts";
export * from "./operation.ts";
export type { AdminApi } from "./operations/administration/endpoints/admin.ts";
export { serviceConfig, type ServiceConfig } from "./operations/configuration/config.ts";
export { startStandaloneAdmin } from "./operations/administration/endpoints/mount.ts";
export { plainUrl } from "./identity/edge/host.ts";
export { defineRoutes } from "./http/route-handlers.ts";
export { serverOptions } from "./identity/edge/kernel.ts";
export type { ObserveReply } from "./identity/edge/send-error.ts";
export { realPorts, type Ports } from "./base/environment/ports.ts";
export { DISPATCH_RULES, type DispatchRules } from "./events/dispatch/index.ts";
export { exportLines, importFile } from "./operations/transfer/import/import-lines.ts";
export { generateLoad, type LoadResult } from "./operations/load/load.ts";
export { sealedServiceRows } from "./operations/secrets/sealed-rows.sql.ts";
export { csvOf } from "./console/reporting/reports/csv.ts";
export { hashOf } from "./identity/authentication/secrets/secrets.ts";
