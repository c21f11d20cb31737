/** The app framework: load, install and run apps. */
export * from "./authoring.ts";
export * from "./operation.ts";
export { consentHost } from "./model/templates/whitelist.ts";
export type { RunConsents } from "./state/consents.ts";
export { startAppHost } from "./platform/app-host/start-app-host.ts";
export { startPlatform, type Platform, type PlatformOptions } from "./platform/start-platform.ts";
export type { AppHost, AppHostOptions } from "./platform/app-host/app-host.ts";
export { sealedAppRows, storeDerivedTargets } from "./state/sealed-rows.sql.ts";
export { ProjectUnusable } from "./package/live-project.ts";
export { folderState, watchProject } from "./package/live-project.ts";
export { startRunner } from "./runtime/process/start-runner.ts";
export type { FaultInjector, OutgoingFault } from "@parley/egress";
export { defaultHostSettings } from "./environment/settings.ts";
