/** The messaging service: what the API does. */
export { startService, type Admin, type Service, type ServiceOptions } from "./service.ts";
export { serviceConfig, type ServiceConfig } from "./config.ts";
export { realPorts, type Ports } from "./ports.ts";
export { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
