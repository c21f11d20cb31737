import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { isHidden, isInside, REFUSALS } from "../bundler/paths.ts";
import type { Finding } from "./finding.ts";
import { found } from "./rules.ts";

/** Folders and files of an app that the host itself reads. */
const READ_PARTS = ["manifest.json", "package.json", "README.md", ".npmrc", "app", "config", "server", "test_data"];
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

/** Links below a path, not those of packages. */
async function linksBelow(folder: string, path: string): Promise<string[]> {
  const entry = await lstat(join(folder, path)).catch(() => undefined);
  if (entry?.isSymbolicLink()) return [path];
  if (!entry?.isDirectory()) return [];
  const below = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
  const links = await Promise.all(
    below
      .filter(({ name }) => name !== "node_modules")
      .map(async (one) => {
        if (one.isSymbolicLink()) return [`${path}/${one.name}`];
        return one.isDirectory() ? linksBelow(folder, `${path}/${one.name}`) : [];
      }),
  );
  return links.flat().sort();
}

/** Links of the app's folder that lead out of it: none of them is followed. */
export async function linkRules(folder: string): Promise<Finding[]> {
  const links = (await Promise.all(READ_PARTS.map((part) => linksBelow(folder, part)))).flat();
  const judged = await Promise.all(
    links.map(async (path) => {
      const isDangling = (await realpath(join(folder, path)).catch(undefinedIfAbsent)) === undefined;
      return isDangling || (await ownPath(folder, path)) !== undefined ? [] : [path];
    }),
  );
  return judged.flat().map((path) => found("path-refused", path, { path, reason: REFUSALS.link }));
}

/** A path of the app with `/`, as findings and packages have it. */
export const withSlashes = (path: string): string => path.split(sep).join("/");
