import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Source {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

const walk = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", "fixtures"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });

/** Reads the files of folders. @shape folders: from the root; ending: of the files' names */
export const readFiles = (folders: readonly string[], ending: RegExp, root = ROOT): Source[] =>
  folders
    .flatMap((folder) => walk(join(root, folder)))
    .filter((path) => ending.test(path))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));

/** The folders of the app at the root. */
export const APP_FOLDERS = ["server", "config", "app"];

/** Reads the TypeScript of the packages and of the app at the root. */
export const readSources = (root = ROOT): Source[] =>
  readFiles(["packages", ...APP_FOLDERS], /\.tsx?$/, root).filter(({ path }) => !isOfTests(path));

/** Reads the TypeScript of all tests and of what they use. */
export const readTests = (): Source[] =>
  readFiles(["packages", "test"], /\.tsx?$/).filter(({ path }) => /(^|\/)test\//.test(path));

const isOfTests = (path: string) => /(^|\/)test\/|\/vite\.(?:[\w-]+\.)?config\.ts$/.test(path);

/** The code without its comments, which contain SQL words and names too. */
export const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");

/** Specifiers of all imports and exports-from, types included. */
export const importsOf = ({ text }: Source): string[] =>
  [...codeOf(text).matchAll(/(?:from\s+|import\s*\(\s*|import\s+)"([^"]+)"/g)].map(([, specifier]) => specifier ?? "");

/** Paths of the files that a file imports by relative specifiers, each as often as it is imported. */
export const importedFiles = (source: Source): string[] =>
  importsOf(source)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(source.path), specifier)));

/** A package's folder name, or `app` for the root. */
export const packageOf = (path: string): string => /^packages\/([^/]+)\//.exec(path)?.[1] ?? "app";
