import { relative, sep, join } from "node:path";
import { readFile, realpath, stat } from "node:fs/promises";

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
export const pathRefusals = {
  outside: "it leads out of the app's folder",
  link: "it is a link, or lies behind one, that leads out of the app's folder",
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
