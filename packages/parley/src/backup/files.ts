import { join, dirname } from "node:path";
import { serviceConfig } from "@parley/service/config";
import { constants } from "node:fs";
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { listObjects } from "@parley/service/objects";

/** Folder of uploads and reports, resolved as `parley start` does. */
export const objectsFolderOf = (dataFolder: string): string =>
  serviceConfig().objectsFolder ?? join(dataFolder, "objects");

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Copies one file. -> false when the file was deleted in the meantime: erased uploads stay erased */
const copyIfPresent = async (from: string, to: string): Promise<boolean> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Copies every object of a folder. -> number of copied files */
export async function copyObjects(from: string, to: string): Promise<number> {
  let count = 0;
  for (const path of await listObjects(from)) if (await copyIfPresent(join(from, path), join(to, path))) count += 1;
  return count;
}

/** Copies the named files that exist, readable by their owner only. -> their names */
export async function copySecrets(from: string, to: string, names: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const name of names) {
    if (!(await copyIfPresent(join(from, name), join(to, name)))) continue;
    await chmod(join(to, name), 0o600);
    kept.push(name);
  }
  return kept;
}
