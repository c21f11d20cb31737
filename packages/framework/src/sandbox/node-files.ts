import { realpathSync } from "node:fs";

interface Report {
  readonly sharedObjects: readonly string[];
}

let known: readonly string[] | undefined;

/** Files that Node needs to run: itself, and the libraries that the system gave to this process, which is the same Node. */
export function nodeFiles(): readonly string[] {
  known ??= [
    process.execPath,
    // What add-ons brought belongs to this process alone.
    ...(process.report.getReport() as unknown as Report).sharedObjects.filter(
      (path) => path.startsWith("/") && path !== process.execPath && !/\/node_modules\/|\.node$/.test(path),
    ),
  ];
  return known;
}

/** A path as it is named and where it really is: links lead elsewhere in another root. */
export const sourceOf = (path: string): string => realpathSync(path);
