/** Version, schema and metrics of an installation, for processes that do not run the service: an entry of its own, which loads little else. */
export { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./db/migrations.ts";
export { VERSION } from "./environment/package.ts";
export { reportInstallation } from "./telemetry/installation-metrics.ts";
