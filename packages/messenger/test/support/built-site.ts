import { execFile } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Plugin } from "esbuild";

/** Sites with other people's code, unmodified, each with its own lockfile in `test/fixtures`. */

const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));
const execute = promisify(execFile);

/** Copies a fixture into a folder, and installs what its lockfile names. */
export const installFixture = async (name: string, folder: string): Promise<void> => {
  await cp(join(FIXTURES, name), folder, { recursive: true });
  await execute("npm", ["ci", "--ignore-scripts"], { cwd: folder });
};

/** Replaces a text in what the packages of a site contain, as bundlers do: the packages themselves remain as they are. */
const replacement = ([former, latter]: readonly [string, string]): Plugin => ({
  name: "replacement",
  setup: (bundler) =>
    bundler.onLoad({ filter: /node_modules\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return text.includes(former) ? { contents: text.replaceAll(former, latter), loader: "js" } : undefined;
    }),
});

export interface BundleOptions {
  readonly mode?: "development" | "production";
  /** A text in the packages, and what it becomes in the bundle. */
  readonly replace?: readonly [string, string];
}

/** Bundles an entry of an installed fixture for browsers. -> the script */
export const bundleSite = async (
  folder: string,
  entry: string,
  { mode = "production", replace }: BundleOptions = {},
): Promise<string> => {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    nodePaths: [join(folder, "node_modules")],
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    jsx: "automatic",
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    plugins: replace ? [replacement(replace)] : [],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
};
