import { relative, sep, join } from "node:path";
import { readFile, realpath, stat } from "node:fs/promises";

/** Whether the path is the folder's or lies below it. Both are absolute and without `..`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Whether a file of the app's own is hidden: it, or a folder on the way to it, has a name that begins with a dot. Keys, histories and
 * the data of a local instance have such names.
 */
export const isHidden = (folder: string, path: string): boolean => {
  const names = relative(folder, path).split(sep);
  const packages = names.indexOf("node_modules");
  return (packages < 0 ? names : names.slice(0, packages)).some((name) => name.startsWith("."));
};

/** Why a path is refused, as the finding words it. */
export const pathRefusals = {
  outside: "it leads out of the app's folder",
  link: "it is a link, or lies behind one, that leads out of the app's folder",
  hidden: "hidden files and folders are not part of an app",
  attribute: 'the only import attribute that an app may use is type: "json"',
  sourceMap: "the source map that it names is not in the app's folder",
} as const;

/** Errors of a path that names nothing. */
const ABSENT = ["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];

const undefinedIfAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (ABSENT.includes(error.code ?? "")) return undefined;
  throw error;
};

/**
 * The real path of what a path of an app's folder names. Whatever the host reads of an app's folder, it reads by this path.
 * @shape path: from the folder, with `/`
 * @returns undefined where there is nothing, and for a link that leads out of the folder or to something hidden
 */
export async function appFilePath(folder: string, path: string): Promise<string | undefined> {
  const home = await realpath(folder).catch(undefinedIfAbsent);
  if (home === undefined) return undefined;
  const real = await realpath(join(home, path)).catch(undefinedIfAbsent);
  if (real === undefined || !isInside(home, real)) return undefined;
  return real !== join(home, path) && isHidden(home, real) ? undefined : real;
}

/** Bytes of a file of the app; undefined where `ownPath` is, or where it is no plain file. @errors any other trouble with the file */
export async function readAppFileBytes(folder: string, file: string): Promise<Buffer | undefined> {
  const path = await appFilePath(folder, file);
  if (path === undefined || !(await stat(path)).isFile()) return undefined;
  return readFile(path).catch(undefinedIfAbsent);
}

/** Text of a file of the app, as `readBytes` has it. */
export const readAppFileText = async (folder: string, file: string): Promise<string | undefined> =>
  (await readAppFileBytes(folder, file))?.toString("utf8");
