import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** A folder that is removed while the others are read holds no objects. */
const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });

/**
 * Keys of all objects that a folder holds, none where there is no such folder. Contents that are still arriving are not among them: they
 * lie in folders whose names begin with a dot. Every object that is there before and after the call is listed, whatever arrives and is
 * removed meanwhile: the folder is read a level at a time, since one read of all levels fails where a folder goes in between.
 */
export async function listObjects(folder: string): Promise<string[]> {
  const lists = await Promise.all(
    (await entriesOf(folder)).map(async (entry) => {
      if (entry.name.startsWith(".")) return [];
      if (entry.isFile()) return [entry.name];
      if (!entry.isDirectory()) return [];
      return (await listObjects(join(folder, entry.name))).map((key) => `${entry.name}/${key}`);
    }),
  );
  return lists.flat();
}
