/** The messaging service: what the API does. */
export { startService, type Service, type ServiceOptions } from "./service.ts";
export type { Admin } from "./admin/admin.ts";
export { serviceConfig, type ServiceConfig } from "./config.ts";
export { aside, type Aside, type AsideOptions } from "./admin/aside.ts";
export { plainUrl } from "./http/host.ts";
export { slice, type HandlersOf } from "./http/slice.ts";
export { serverOptions } from "./http/kernel.ts";
export type { Observe } from "./http/record.ts";
export { realPorts, type Ports } from "./ports.ts";
export { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
export { DISPATCH_RULES, type DispatchRules } from "./events/index.ts";
export { exportLines, importFile } from "./import/file.ts";
export { load, type Loaded, type LoadOptions } from "./load/load.ts";
export { hashOf as tokenHash } from "./tokens/secret.ts";
export { VERSION } from "./version.ts";
