import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isHidden, isInside } from "./paths.ts";

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
export async function ownPath(folder: string, path: string): Promise<string | undefined> {
  const home = await realpath(folder).catch(undefinedIfAbsent);
  if (home === undefined) return undefined;
  const real = await realpath(join(home, path)).catch(undefinedIfAbsent);
  if (real === undefined || !isInside(home, real)) return undefined;
  return real !== join(home, path) && isHidden(home, real) ? undefined : real;
}

/** Bytes of a file of the app; undefined where `ownPath` is, or where it is no plain file. @errors any other trouble with the file */
export async function readBytes(folder: string, file: string): Promise<Buffer | undefined> {
  const path = await ownPath(folder, file);
  if (path === undefined || !(await stat(path)).isFile()) return undefined;
  return readFile(path).catch(undefinedIfAbsent);
}

/** Text of a file of the app, as `readBytes` has it. */
export const readText = async (folder: string, file: string): Promise<string | undefined> =>
  (await readBytes(folder, file))?.toString("utf8");
