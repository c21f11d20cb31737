import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT, temporaryFolder } from "../support/parley-process.ts";

const listed = (...args: readonly string[]): string[] =>
  spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...args], { cwd: ROOT, encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);

/** Files of `node_modules` itself that are read, and not caches into which commands write. */
const INSTALLED_FILES = [".bin", ".package-lock.json"];

/** Links installed packages, except the packages of this repository, which are links into the project that they belong to. */
async function linkInstalled(project: string, packages: readonly string[]): Promise<void> {
  for (const owner of ["", ...packages.map((name) => `packages/${name}`)]) {
    const installed = join(ROOT, owner, "node_modules");
    if (!existsSync(installed)) continue;
    const linked = join(project, owner, "node_modules");
    await mkdir(linked);
    for (const name of await readdir(installed)) {
      if (name === "@parley")
        await cp(join(installed, name), join(linked, name), { recursive: true, verbatimSymlinks: true });
      else if (!name.startsWith(".") || INSTALLED_FILES.includes(name))
        await symlink(join(installed, name), join(linked, name));
    }
  }
}

/**
 * A copy of the repository as someone gets it who clones it, with the packages and builds of this tree, so that a command builds only what an edit
 * concerns. An app can't be started in it: the packages of an app may not be links.
 */
export async function projectCopy() {
  const copy = await temporaryFolder("parley-project-");
  const folder = join(copy.folder, "parley");
  const packages = await readdir(join(ROOT, "packages"));
  const paths = [...listed(), ...packages.map((name) => `packages/${name}/dist`)];
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // The time of a file says whether a bundle is older than its sources.
    await cp(join(ROOT, path), join(folder, path), { recursive: true, preserveTimestamps: true });
  }
  await linkInstalled(folder, packages);
  return { folder, remove: copy.remove };
}
