import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { PackageRefused, unpackPackage, type PackedFile } from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";
import { printable } from "../output/table.ts";

/** Subfolder, beside a package, in which packages are unpacked. */
const PACKAGES_FOLDER = ".parley-packages";
/** Entries that are kept when a newer version is unpacked: the app's data and its installed dependencies. */
const RETAINED_ENTRIES = [".parley", "node_modules"];

export const isPackage = async (path: string): Promise<boolean> =>
  extname(path).toLowerCase() === ".zip" &&
  (await stat(path).then(
    (found) => found.isFile(),
    () => false,
  ));

const filesOf = async (file: string): Promise<readonly PackedFile[]> => {
  try {
    return unpackPackage(await readFile(file));
  } catch (error) {
    if (error instanceof PackageRefused) throw new CommandFailure(`${printable(file)} can't be run. ${error.message}`);
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${printable(file)} can't be read (${code}). Name a package that this user may read.`);
  }
};

/**
 * Unpacks a package in place of an earlier version; the app's data is kept.
 * @returns the folder of the app
 * @errors CommandFailure for a package that can't be run or unpacked
 */
export async function unpackedFolder(file: string): Promise<string> {
  const files = await filesOf(file);
  const folder = join(dirname(file), PACKAGES_FOLDER, basename(file, extname(file)));
  try {
    await makeFolder(folder);
    for (const name of await readdir(folder))
      if (!RETAINED_ENTRIES.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
    for (const { path, bytes } of files) {
      await makeFolder(dirname(join(folder, path)));
      await writeFile(join(folder, path), bytes, { flag: "wx" });
    }
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${printable(file)} can't be unpacked to ${printable(folder)} (${code}). Move it to a folder that you may write.`,
    );
  }
  return folder;
}
