import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** `src/app-tests/` is one deeper than `dist/`. */
const beside = (path: string): string =>
  [`../${path}`, `../../${path}`]
    .map((each) => fileURLToPath(new URL(each, import.meta.url)))
    .find((each) => existsSync(each)) ?? path;

/** The file that this command starts with. */
export const commandFile = (): string => beside("bin/parley.mjs");
const ours = createRequire(import.meta.url);
const resolvedFrom = (resolve: (name: string) => string, name: string): string | undefined => {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
};

/** Whether an app's own files find a package. */
export const finds = (folder: string, name: string): boolean =>
  resolvedFrom(createRequire(join(folder, "package.json")).resolve, name) !== undefined;

/** Jest as the app has it, else ours. */
export const jestFile = (folder: string): string => {
  const its = createRequire(join(folder, "package.json"));
  const found = resolvedFrom(its.resolve, "jest/package.json") ?? ours.resolve("jest/package.json");
  return join(dirname(found), "bin", "jest.js");
};

/** A file that the framework's build made. */
export const frameworkFile = (name: string): string => join(dirname(ours.resolve("@parley/framework")), name);
