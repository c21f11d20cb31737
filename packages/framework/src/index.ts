/** The app framework: load, install and run apps. */
export * from "./authoring.ts";
export { consentHost } from "./request/templates/whitelist.ts";
export type { RunConsents } from "./installation/consents.ts";
export { startAppHost } from "./host/host.ts";
export type { AppHost, AppHostOptions } from "./host/app-host.ts";
export type { ServiceAccess } from "./front/service.ts";
export type { IdentityService } from "./identity/service-admin.ts";
export { APP_MIGRATIONS, APP_SCHEMA } from "./db/migrations.ts";
export type { Installation } from "./installation/installations.ts";
export { ProjectUnusable } from "./package/live/live-project.ts";
export { folderState, watchProject } from "./package/live/live-project.ts";
export { createInspector } from "./runtime/process/inspect.ts";
export { createLauncher } from "./runtime/process/process-link.ts";
export { CoverageUnavailable, IsolationMissing, type AppOrigin } from "./sandbox/origin.ts";
export { startRunner, type StandaloneRunner, type StandaloneRunnerOptions } from "./runtime/process/start-runner.ts";
export { HostMapUnusable, parseHostMap } from "./request/host-maps.ts";
export type { FaultInjector, OutgoingFault } from "@parley/egress";
export { defaultHostSettings, type HostSettings } from "./environment/settings.ts";
