/** Version and schema of this release, for processes that do not run the service: an entry of its own, which loads nothing else. */
export { SERVICE_MIGRATIONS } from "./db/migrations.ts";
export { VERSION } from "./environment/package.ts";
