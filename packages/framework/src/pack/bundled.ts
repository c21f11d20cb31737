import { access, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { bundle, type Bundle } from "../project/bundle.ts";
import { readText } from "../project/json.ts";

export interface Bundled extends Bundle {
  /** Absolute paths of the files that it is made of. */
  readonly inputs: ReadonlySet<string>;
}

/** Must come before plugins that give a file's text. */
const noting = (paths: Set<string>): Plugin => ({
  name: "noting",
  setup(builder) {
    builder.onLoad({ filter: /./, namespace: "file" }, ({ path }) => void paths.add(path));
  },
});

/** Where the bundler names a file: in a comment of its own line, or as the key of a CommonJS module. */
const NAMED = /^(\s*(?:\/\/ |"))((?:\(disabled\):)?)([^"\n]+?)("\([\w, ]*\) \{)?$/gm;

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The name and version of the package that a file belongs to, and its place in it. */
async function nameInPackage(path: string): Promise<string | undefined> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readText(folder, "package.json");
    const { name, version = "0.0.0" } = JSON.parse(text ?? "{}") as { name?: string; version?: string };
    // Folders inside of a package may have such a file only to say what kind of modules lie there.
    if (name) return `${name}@${version}/${relative(folder, path).split(sep).join("/")}`;
  }
  return undefined;
}

/**
 * Where a package lies differs from machine to machine, and the bundler names files by their way from the app's folder: what isn't the
 * app's own is named by its package instead.
 */
async function withStableNames(folder: string, code: string): Promise<string> {
  const names = new Map<string, string>();
  for (const [, , , path = ""] of code.matchAll(NAMED)) {
    if (names.has(path) || !(path.startsWith("../") || path.includes("node_modules/"))) continue;
    const file = resolve(folder, path);
    const name = (await isThere(file)) ? await nameInPackage(file) : undefined;
    if (name) names.set(path, name);
  }
  return code.replace(
    NAMED,
    (_, before: string, disabled: string, path: string, after = "") =>
      before + disabled + (names.get(path) ?? path) + after,
  );
}

/** Bundles a file of the app in the same way on any machine. @shape folder: a real path, without links */
export async function bundled(folder: string, file: string, options: BuildOptions): Promise<Bundled> {
  const inputs = new Set<string>();
  // Else the one of a folder above would be read.
  const ownConfig = (await isThere(join(folder, "tsconfig.json"))) ? {} : { tsconfigRaw: {} };
  const made = await bundle(folder, file, {
    outdir: ".",
    ...ownConfig,
    ...options,
    plugins: [noting(inputs), ...(options.plugins ?? [])],
  });
  return made.code === undefined
    ? { ...made, inputs }
    : { ...made, code: await withStableNames(folder, made.code), inputs };
}

/** Text of a file that is there. */
export const textOf = (folder: string, file: string): Promise<string> => readFile(join(folder, file), "utf8");
