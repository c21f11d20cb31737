/** The app framework: load, install and run apps. */
export { errorIn, isRunnable, lineOf, warningIn } from "./project/finding.ts";
export { loadProject } from "./project/load.ts";
export type { Finding, Loaded, Project } from "./project/project.ts";
export type { Installation } from "./install/installations.ts";
export type { AppHost, AppHostOptions } from "./host.ts";
