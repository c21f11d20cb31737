import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFile } from "node:fs/promises";
import { harnessFiles } from "@parley/framework/authoring";

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
const isResolvable = (folder: string, name: string): boolean =>
  resolvedFrom(createRequire(join(folder, "package.json")).resolve, name) !== undefined;

/** The app's own installation of Jest, or the one that Parley depends on. */
const jestFile = (folder: string): string => {
  const appRequire = createRequire(join(folder, "package.json"));
  const found = resolvedFrom(appRequire.resolve, "jest/package.json") ?? parleyRequire.resolve("jest/package.json");
  return join(dirname(found), "bin", "jest.js");
};

/** The process that runs an app's tests. */
export interface Suite {
  readonly file: string;
  readonly args: readonly string[];
  /** Value that is appended to NODE_OPTIONS of the process. */
  readonly nodeOptions: string;
  /** File that the test runner writes its JSON report to; absent when it writes none. */
  readonly report?: string;
}

/** The placeholder script that `npm init` writes into package.json. */
const PLACEHOLDER_SCRIPT = /no test specified/;
/** A script that calls `parley test` would call itself without end. */
const CALLS_PARLEY_TEST = /\bparley(?:\.mjs)?\s+test\b/;

const HARNESS = "@parley/framework/testing";

/** Timeout of one test case; a handler may run for 20 s. @units milliseconds */
const testTimeoutMs = 30_000;

const ownScript = async (folder: string): Promise<string | undefined> => {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  let json: { readonly scripts?: { readonly test?: unknown } };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return undefined;
  }
  const script = json.scripts?.test;
  return typeof script === "string" && !PLACEHOLDER_SCRIPT.test(script) && !CALLS_PARLEY_TEST.test(script)
    ? script
    : undefined;
};

const jestConfig = (folder: string) => ({
  rootDir: folder,
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.{js,cjs,mjs,ts,mts}"],
  extensionsToTreatAsEsm: [".ts", ".mts"],
  transform: { "\\.[mc]?tsx?$": harnessFiles.transform },
  moduleNameMapper: isResolvable(folder, HARNESS) ? {} : { [`^${HARNESS}$`]: harnessFiles.testing },
  testTimeout: testTimeoutMs,
});

/** The test script of the app's package.json, or Jest on the files of `test/`, run serially. */
export async function suiteOf(
  folder: string,
  extraArgs: readonly string[],
  report: string | undefined,
): Promise<Suite> {
  if ((await ownScript(folder)) !== undefined)
    return {
      file: "npm",
      args: ["test", "--silent", ...(extraArgs.length > 0 ? ["--", ...extraArgs] : [])],
      nodeOptions: "",
    };
  const reportArgs = report === undefined ? [] : ["--json", `--outputFile=${report}`];
  const args = ["--config", JSON.stringify(jestConfig(folder)), "--runInBand", ...reportArgs, ...extraArgs];
  return {
    file: process.execPath,
    args: [jestFile(folder), ...args],
    nodeOptions: "--experimental-vm-modules --no-warnings",
    ...(report === undefined ? {} : { report }),
  };
}
