import { realpathSync } from "node:fs";

interface Report {
  readonly sharedObjects: readonly string[];
}

let cachedFiles: readonly string[] | undefined;

/** Files that Node needs to run: its executable, and the shared libraries that this process, which is the same Node, has loaded from the system. */
export function nodeFiles(): readonly string[] {
  cachedFiles ??= [
    process.execPath,
    // Libraries of add-ons belong to this process only.
    ...(process.report.getReport() as unknown as Report).sharedObjects.filter(
      (path) => path.startsWith("/") && path !== process.execPath && !/\/node_modules\/|\.node$/.test(path),
    ),
  ];
  return cachedFiles;
}

/** The real path behind symbolic links, which would resolve differently in another root. */
export const realPathOf = (path: string): string => realpathSync(path);
