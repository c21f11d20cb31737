import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside } from "../files/paths.ts";

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Where the links of a `node_modules` folder lead, those of scopes too. */
async function linksIn(home: string): Promise<string[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const scopes = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith("@"));
  const targets = await Promise.all(
    entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => realpath(join(home, name)).catch(() => undefined)),
  );
  const below = await Promise.all(scopes.map(({ name }) => linksIn(join(home, name))));
  return [...targets.filter((target) => target !== undefined), ...below.flat()];
}

/**
 * Folders outside an app's folder that packages of its code may lie in: `node_modules` of each folder above it, which
 * belong to the operator of the machine, and what the operator has linked there, with the packages that it finds in turn.
 */
export async function packageFolders(folder: string): Promise<string[]> {
  const found = new Set<string>();
  const add = async (above: string): Promise<void> => {
    for (let at = dirname(above); ; at = dirname(at)) {
      const home = join(at, "node_modules");
      if (!isInside(folder, home) && (await isFolder(home))) await addHome(home);
      if (at === dirname(at)) return;
    }
  };
  const addHome = async (home: string): Promise<void> => {
    if (found.has(home)) return;
    found.add(home);
    // A folder that is a link is there under both names.
    found.add(await realpath(home));
    for (const target of await linksIn(home)) {
      // A link to the app's folder, or to one that holds it, would open all that lies beside the app.
      if (isInside(folder, target) || isInside(target, folder) || found.has(target)) continue;
      found.add(target);
      await add(target);
    }
  };
  await add(folder);
  return [...found];
}
