import { relative, sep, join } from "node:path";
import { readFile, realpath, stat, readdir } from "node:fs/promises";

/** Whether the path is the folder or inside it. Both paths are absolute and without `..`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Whether a file of the app itself is hidden: the name of the file or of a folder in its path begins with a dot. Keys, shell histories and the
 * data of a local instance have such names.
 */
export const isHidden = (folder: string, path: string): boolean => {
  const names = relative(folder, path).split(sep);
  const packages = names.indexOf("node_modules");
  return (packages < 0 ? names : names.slice(0, packages)).some((name) => name.startsWith("."));
};

/** Reasons in findings for refusing a path. */
export const PATH_REFUSALS = {
  outside: "it leads out of the app's folder",
  link: "it is a link that leads out of the app's folder, or lies behind such a link",
  hidden: "hidden files and folders are not part of an app",
  attribute: 'the only import attribute that an app may use is type: "json"',
  sourceMap: "the source map that it names is not in the app's folder",
} as const;

/** Error codes for a path that does not exist. */
const ABSENT = ["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];

const undefinedIfAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (ABSENT.includes(error.code ?? "")) return undefined;
  throw error;
};

/**
 * Resolves a path of an app's folder to its real path. The host reads every file of an app's folder by such a path.
 * @shape path: from the folder, with `/`
 * @returns undefined if the file does not exist, and for a link that leads out of the folder or to a hidden file
 */
export async function appFilePath(folder: string, path: string): Promise<string | undefined> {
  const root = await realpath(folder).catch(undefinedIfAbsent);
  if (root === undefined) return undefined;
  const real = await realpath(join(root, path)).catch(undefinedIfAbsent);
  if (real === undefined || !isInside(root, real)) return undefined;
  return real !== join(root, path) && isHidden(root, real) ? undefined : real;
}

/** Content of a regular file of the app; undefined as for `appFilePath`, and for other kinds of files. @errors any other error of the file system */
export async function readAppFileBytes(folder: string, file: string): Promise<Buffer | undefined> {
  const path = await appFilePath(folder, file);
  if (path === undefined || !(await stat(path)).isFile()) return undefined;
  return readFile(path).catch(undefinedIfAbsent);
}

/** Text of a file of the app, as for `readAppFileBytes`. */
export const readAppFileText = async (folder: string, file: string): Promise<string | undefined> =>
  (await readAppFileBytes(folder, file))?.toString("utf8");

/** Folders that are never packed, at any depth. */
const EXCLUDED_FOLDERS = ["node_modules", "test_data", "test", "tests", "__tests__"];
const TYPESCRIPT = /\.(?:[cm]?tsx?|jsx)$|^tsconfig.*\.json$/;
/** Browsers load source maps for developers only. */
const SOURCE_MAP = /\.[cm]?(?:js|css)\.map$/i;
const TEST = /\.(?:test|spec)\.[^.]+$/;

const isExcluded = (name: string, isFolder: boolean): boolean =>
  name.startsWith(".") ||
  (isFolder ? EXCLUDED_FOLDERS.includes(name) : TYPESCRIPT.test(name) || SOURCE_MAP.test(name) || TEST.test(name));

export interface WalkedFiles {
  /** Paths from the app's folder, with `/`. */
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
}

/** Order of packed files: segment by segment, by UTF-16 code units. */
export const compareWalkOrder = (one: { readonly path: string }, other: { readonly path: string }): number => {
  const [left, right] = [one.path.split("/"), other.path.split("/")];
  const at = left.findIndex((name, index) => name !== right[index]);
  const [name = "", than = ""] = [left[at], right[at]];
  return at === -1 ? 0 : name < than ? -1 : 1;
};

/**
 * Lists the files of a folder that may be packed, unsorted.
 * @assumed Links are excluded because their target may be outside. Tests, source maps and TypeScript sources are excluded; a package contains the JavaScript.
 */
export async function walkFolder(folder: string, below: string): Promise<WalkedFiles> {
  const real = await appFilePath(folder, below);
  if (real === undefined) return { files: [], leftOut: [] };
  const entries = await readdir(real, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const files: string[] = [];
  const leftOut: string[] = [];
  for (const entry of entries) {
    const path = `${below}/${entry.name}`;
    if (isExcluded(entry.name, entry.isDirectory())) leftOut.push(path);
    else if (entry.isDirectory()) {
      const inner = await walkFolder(folder, path);
      files.push(...inner.files);
      leftOut.push(...inner.leftOut);
    } else (entry.isFile() ? files : leftOut).push(path);
  }
  return { files, leftOut };
}

/** A file of a package. */
export interface PackedFile {
  /** Path from the app's folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const textFile = (path: string, text: string): PackedFile => ({ path, bytes: Buffer.from(text, "utf8") });

/** @errors Error for a file that was deleted, or replaced by a link out of the folder, since it was listed */
export async function readPackedFile(folder: string, path: string): Promise<PackedFile> {
  const bytes = await readAppFileBytes(folder, path);
  if (!bytes)
    throw new Error(`${path} is no longer a file of the app. Pack again when no program writes to the folder.`);
  return { path, bytes };
}

/** Text of an existing file. @errors Error as for `readPackedFile` */
export const readPackedText = async (folder: string, path: string): Promise<string> =>
  Buffer.from((await readPackedFile(folder, path)).bytes).toString("utf8");
