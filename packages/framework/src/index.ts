/** The app framework: load, install and run apps. */
export * from "./authoring.ts";
export { consentHost } from "./consents/consent-host.ts";
export type { RunConsents } from "./consents/consents.ts";
export { startAppHost, type AppHost } from "./host.ts";
export type { AppHostOptions } from "./host-options.ts";
export type { ServiceAccess } from "./front/service.ts";
export { migrations as APP_MIGRATIONS, SCHEMA as APP_SCHEMA } from "./db/migrations.ts";
export type { Installation } from "./install/installations.ts";
export { ProjectUnusable } from "./project/live.ts";
export { stateOf, watchProject } from "./project/watch.ts";
export { inspection } from "./runtime/inspect.ts";
export { launchIn } from "./runtime/launch.ts";
export { CoverageUnavailable, IsolationMissing, type AppOrigin } from "./sandbox/origin.ts";
export { startRunner, type LoneRunner, type LoneRunnerOptions } from "./runtime/start-runner.ts";
export { MapUnusable, parseMap } from "./request/host-maps.ts";
export type { Faults, OutgoingFault } from "@parley/egress";
export { usualSettings, type HostSettings } from "./settings.ts";
