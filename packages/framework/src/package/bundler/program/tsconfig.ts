import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isObject } from "@parley/contract";
import type { TsconfigRaw } from "esbuild";
import { parse } from "jsonc-parser";
import type { BundleJob } from "../job.ts";
import { isInside } from "../../files/app-file.ts";
import type { PathRefused, PathGuard } from "./path-guard.ts";

/** Compiler options of esbuild that do not affect packages, which are bundled with the same options. */
const COMPILER_OPTIONS = [
  "experimentalDecorators",
  "importsNotUsedAsValues",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "preserveValueImports",
  "target",
  "useDefineForClassFields",
  "verbatimModuleSyntax",
];
/** Maximum number of configurations that are read by `extends`. */
const EXTENDS_MAX = 16;

type Options = Readonly<Record<string, unknown>>;
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === "string");

type TsconfigFound = { readonly raw: TsconfigRaw } | { readonly refused: PathRefused; readonly file: string };

/** Reads the configuration of an entry, including `extends`, so that esbuild does not read any itself, which it would do without calling plugins. */
class TsconfigReader {
  readonly #job: BundleJob;
  readonly #guard: PathGuard;
  #left = EXTENDS_MAX;
  refused: { readonly refused: PathRefused; readonly file: string } | undefined;

  constructor(job: BundleJob, guard: PathGuard) {
    this.#job = job;
    this.#guard = guard;
  }

  /** -> compiler options; undefined if the file does not exist or may not be read */
  async optionsOf(file: string): Promise<Options | undefined> {
    const refused = this.#guard.refusalOfFile(file);
    if (refused) {
      this.refused ??= { refused, file: relative(this.#job.folder, file) };
      return undefined;
    }
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const json: unknown = parse(text, [], { allowTrailingComma: true });
    if (!isObject(json)) return {};
    const below: Options[] = [];
    for (const name of textsIn(json["extends"])) below.push(await this.#extended(file, name));
    const own = isObject(json["compilerOptions"]) ? json["compilerOptions"] : {};
    return Object.assign({}, ...below, this.#placed(dirname(file), own)) as Options;
  }

  /** Makes paths absolute, because a configuration passed as text has no folder to which they are relative. */
  #placed(folder: string, { baseUrl, paths, ...rest }: Options): Options {
    const base = typeof baseUrl === "string" ? resolve(folder, baseUrl) : undefined;
    const places = Object.entries(isObject(paths) ? paths : {}).map(([name, texts]) => [
      name,
      textsIn(texts).map((text) => resolve(base ?? folder, text)),
    ]);
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([name]) => COMPILER_OPTIONS.includes(name))),
      ...(base === undefined ? {} : { baseUrl: base }),
      ...(places.length === 0 ? {} : { paths: Object.fromEntries(places) as Options }),
    };
  }

  async #extended(file: string, name: string): Promise<Options> {
    const refused = this.#guard.refusalOfImport({ path: name, resolveDir: dirname(file), with: {} });
    if (refused) {
      this.refused ??= { refused, file: relative(this.#job.folder, file) };
      return {};
    }
    const isPath = isAbsolute(name) || /^\.\.?(?:\/|$)/.test(name);
    const places = isPath
      ? [resolve(dirname(file), name)]
      : this.#packagesAbove(file).map((packagesFolder) => join(packagesFolder, name));
    for (const place of places)
      for (const candidate of [place, `${place}.json`, join(place, "tsconfig.json")]) {
        if (this.refused || (this.#left -= 1) < 0) return {};
        const options = await this.optionsOf(candidate);
        if (options) return options;
      }
    return {};
  }

  #packagesAbove(file: string): string[] {
    const homes: string[] = [];
    for (let folder = dirname(file); isInside(this.#job.folder, folder); folder = dirname(folder))
      homes.push(join(folder, "node_modules"));
    return [...homes, ...this.#job.packageFolders];
  }
}

/** Options of the tsconfig.json nearest to the entry, up to the app's folder. */
export async function tsconfigOf(job: BundleJob, guard: PathGuard): Promise<TsconfigFound> {
  const reader = new TsconfigReader(job, guard);
  for (let folder = dirname(join(job.folder, job.file)); isInside(job.folder, folder); folder = dirname(folder)) {
    const compilerOptions = await reader.optionsOf(join(folder, "tsconfig.json"));
    if (reader.refused) return reader.refused;
    if (compilerOptions) return { raw: { compilerOptions } };
  }
  return { raw: {} };
}
