import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { appFilePath, PATH_REFUSALS } from "../files/app-file.ts";
import type { Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";

/** The bundler checks links in this folder. */
const PACKAGES = "node_modules";
/** Folders and files of an app that the host reads. */
const READ_PATHS = [
  "manifest.json",
  "package.json",
  "tsconfig.json",
  "README.md",
  ".npmrc",
  "app",
  "config",
  "server",
  "test_data",
  PACKAGES,
];
/** Links below a path, except those of packages. */
async function linksBelow(folder: string, path: string): Promise<string[]> {
  const entry = await lstat(join(folder, path)).catch(() => undefined);
  if (entry?.isSymbolicLink()) return [path];
  if (!entry?.isDirectory() || path === PACKAGES) return [];
  const below = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
  const links = await Promise.all(
    below
      .filter(({ name }) => name !== PACKAGES)
      .map(async (one) => {
        if (one.isSymbolicLink()) return [`${path}/${one.name}`];
        return one.isDirectory() ? linksBelow(folder, `${path}/${one.name}`) : [];
      }),
  );
  return links.flat().sort();
}

/** Findings for links that lead out of the app's folder. Such links are not followed. */
export async function linkRules(folder: string): Promise<Finding[]> {
  const links = (await Promise.all(READ_PATHS.map((part) => linksBelow(folder, part)))).flat();
  const escapingLinks = await Promise.all(
    links.map(async (path) => {
      const isDangling = (await realpath(join(folder, path)).catch(() => undefined)) === undefined;
      return isDangling || (await appFilePath(folder, path)) !== undefined ? [] : [path];
    }),
  );
  return escapingLinks.flat().map((path) => createFinding("path-refused", path, { path, reason: PATH_REFUSALS.link }));
}
