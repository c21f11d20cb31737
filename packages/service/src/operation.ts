/** Version, schema and metrics of an installation, for processes that do not run the service: an entry of its own, which loads little else. */
export { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./base/db/migrations.ts";
export { VERSION } from "./base/environment/package.ts";
export { reportInstallation } from "./base/telemetry/installation-metrics.ts";
