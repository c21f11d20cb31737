/** What an app's author needs of the framework: apps are loaded, checked and packed, and no app host runs. */
export {
  coverageReport,
  type CoverageCount,
  type CoverageReport,
  type CoverageSummary,
} from "./code-coverage/coverage-file.ts";
export { countsAt, sourcePlaces, type SourcePlace } from "./code-coverage/source-places.ts";
export { editorSchemas } from "./schemas/index.ts";
export { isRunnable, lineOf } from "./project/finding.ts";
export { fixedFiles, type FixedFile } from "./project/fix.ts";
export { projectTools } from "./project/project-tools.ts";
export { packProject, type Package, type Packing } from "./pack/pack.ts";
export { PackageRefused, unpackPackage } from "./pack/unpack.ts";
export type { PackedFile } from "./pack/walk.ts";
export { TARGETS, type Target } from "./pack/target.ts";
export { loadProject, type Inspect, type ProjectTools } from "./project/load.ts";
export type { Finding, Loaded, Project } from "./project/project.ts";
export { RULES, type RuleCode } from "./project/rules.ts";
export { validateProject } from "./project/validate.ts";
export { keyPermissions, type KeyPermissions, type KeyUser, type UndecidedRequest } from "./request/key-permissions.ts";
export { findBoundary, shortcomingsOf, type Boundary, type BoundaryName } from "./sandbox/boundary.ts";
