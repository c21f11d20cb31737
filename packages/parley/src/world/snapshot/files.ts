import { constants } from "node:fs";
import { copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listObjects } from "@parley/service/objects";

/** Links or copies a file. Files are never modified in place, so a hard link keeps its content. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const temporary = `${to}.arriving`;
  await rm(temporary, { force: true });
  await link(from, temporary).catch(() => copyFile(from, temporary, constants.COPYFILE_EXCL));
  await rename(temporary, to);
}

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [left, right] = await Promise.all([stat(one), stat(other)]);
  return (
    (left.ino === right.ino && left.dev === right.dev) || (left.size === right.size && left.mtimeMs === right.mtimeMs)
  );
};

/** -> number of files in the source folder */
async function copyMissing(from: string, to: string): Promise<number> {
  const present = new Set(await listObjects(to));
  const paths = await listObjects(from);
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)];
    if (!present.has(path) || !(await isSame(source, target))) await linkOrCopy(source, target);
  }
  return paths.length;
}

async function removeOthers(folder: string, kept: string): Promise<void> {
  const known = new Set(await listObjects(kept));
  for (const path of await listObjects(folder)) if (!known.has(path)) await rm(join(folder, path), { force: true });
}

/** Files of uploads and reports that belong to the rows of snapshots. */
export const snapshotFiles = ({ folder, objects }: { readonly folder: string; readonly objects: string }) => {
  const placeOf = (name: string) => join(folder, name);
  return {
    /** Adds missing files to the snapshot. -> number of its files */
    async save(name: string): Promise<number> {
      return copyMissing(objects, placeOf(name));
    },
    /** Removes files from the snapshot that no longer exist in the objects folder. */
    trim: (name: string) => removeOthers(placeOf(name), objects),
    /** Restores missing files; files of the present rows are kept until `removeObsolete`. */
    restore: (name: string) => copyMissing(placeOf(name), objects),
    /** Removes files from the objects folder that the snapshot does not have. */
    removeObsolete: (name: string) => removeOthers(objects, placeOf(name)),
    rename: async (from: string, to: string): Promise<void> => {
      await copyMissing(placeOf(from), placeOf(to));
      await rm(placeOf(from), { recursive: true, force: true });
    },
    remove: (name: string) => rm(placeOf(name), { recursive: true, force: true }),
  };
};
