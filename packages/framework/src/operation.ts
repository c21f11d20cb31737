/** Schema, account data and addresses of apps, for processes that run no apps: an entry of its own, which loads little else. */
export { appAccountData } from "./state/accounts/index.ts";
export { APP_MIGRATIONS, APP_SCHEMA } from "./state/db/migrations.ts";
export { consoleOriginsOf, localAppsUrl } from "./pages/origin.ts";
export { reportSchedules } from "./platform/schedule-metrics.ts";
export { HostMapUnusable, parseHostMap } from "./request/host-maps.ts";
export { lowerPlatformPriority } from "./runtime/process/process-priority.ts";
