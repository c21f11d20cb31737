/** The part of the framework for an app's author: apps are loaded, checked and packed, and no app host runs. */
export {
  coverageReport,
  type CoverageCount,
  type CoverageReport,
  type CoverageSummary,
} from "./package/code-coverage/coverage-meter.ts";
export { countsAt, sourceMappings } from "./package/code-coverage/file-coverage.ts";
export { harnessFiles } from "./environment/assets.ts";
export { editorSchemas } from "./package/editor-schemas.ts";
export { isRunnable, findingLine } from "./model/finding.ts";
export { applyFixes, type FixedFile } from "./package/load/fix.ts";
export { createProjectTools } from "./runtime/process/inspect.ts";
export { packProject, type Package } from "./package/pack/pack.ts";
export { ensureDependencies } from "./package/dependencies/dependencies.ts";
export { PackageRefused } from "./package/archive/package-refused.ts";
export { packageInfoOf, type PackageInfo } from "./publishing/published-name.ts";
export { unpackPackage } from "./package/pack/archive.ts";
export type { PackedFile } from "./package/files/app-file.ts";
export { PACK_TARGETS, type PackTarget } from "./package/pack/json-file.ts";
export { loadProject } from "./package/load/load.ts";
export type { Finding } from "./model/project.ts";
export { FIXABLE_RULES } from "./model/fixable-rules.ts";
export { RULES } from "./model/rules.ts";
export { validateProject } from "./package/validate/validate.ts";
export { keyPermissions, type KeyPermissions } from "./package/validate/key-permissions.ts";
export { findBoundary, boundaryShortcomings, type BoundaryName } from "./sandbox/boundary.ts";
