import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Resolves a path of this package from the source (`src/app-tests/`) and from the bundle (`dist/`), which is one level higher. */
const packagePath = (path: string): string =>
  [`../${path}`, `../../${path}`]
    .map((each) => fileURLToPath(new URL(each, import.meta.url)))
    .find((each) => existsSync(each)) ?? path;

/** Script that starts the `parley` command. */
export const commandFile = (): string => packagePath("bin/parley.mjs");
const parleyRequire = createRequire(import.meta.url);
const resolvedFrom = (resolve: (name: string) => string, name: string): string | undefined => {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
};

/** Whether a package can be resolved from the app's folder. */
export const isResolvable = (folder: string, name: string): boolean =>
  resolvedFrom(createRequire(join(folder, "package.json")).resolve, name) !== undefined;

/** The app's own installation of Jest, or the one that Parley depends on. */
export const jestFile = (folder: string): string => {
  const its = createRequire(join(folder, "package.json"));
  const found = resolvedFrom(its.resolve, "jest/package.json") ?? parleyRequire.resolve("jest/package.json");
  return join(dirname(found), "bin", "jest.js");
};
