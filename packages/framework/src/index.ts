/** The app framework: load, install and run apps. */
export { startAppHost, type AppHost, type AppHostOptions } from "./host.ts";
export type { ServiceAccess } from "./front/service.ts";
export type { Installation } from "./install/installations.ts";
export { isRunnable, lineOf } from "./project/finding.ts";
export { lonelyInspection } from "./pack/inspect.ts";
export { packProject, type Package, type Packing } from "./pack/pack.ts";
export { ProjectUnusable } from "./project/live.ts";
export { loadProject, type Inspect } from "./project/load.ts";
export { watchProject } from "./project/watch.ts";
export type { Finding, Loaded, Project } from "./project/project.ts";
export { RULES, type RuleCode } from "./project/rules.ts";
export { validateProject } from "./project/validate.ts";
export { editorSchemas } from "./schemas/index.ts";
export { inspection } from "./runtime/inspect.ts";
export { startRunner, type LoneRunner, type LoneRunnerOptions } from "./runtime/start-runner.ts";
export { MapUnusable, parseMap } from "./request/host-maps.ts";
export type { Faults, OutgoingFault } from "@parley/egress";
export { usualSettings, type HostSettings } from "./settings.ts";
