import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** A folder removed during the listing contains no objects. */
const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });

/**
 * Keys of all objects in a folder; empty if the folder does not exist. Incomplete contents are excluded: their folders
 * begin with a dot. Every object present before and after the call is listed despite concurrent changes. Reads level by
 * level, because one recursive read fails when a folder disappears.
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
