/** The messaging service: what the API does. */
export { startService, type Service, type ServiceOptions } from "./service.ts";
export type { Admin } from "./admin/admin.ts";
export { serviceConfig, type ServiceConfig } from "./config.ts";
export type { Patience } from "./http/edge.ts";
export type { Observe } from "./http/record.ts";
export { realPorts, type Ports } from "./ports.ts";
export { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
export { DISPATCH_RULES, type DispatchRules } from "./events/index.ts";
export { load, type Loaded, type LoadOptions } from "./load/load.ts";
