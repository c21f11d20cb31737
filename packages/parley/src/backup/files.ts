import { constants, type Dirent } from "node:fs";
import { chmod, copyFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Contents that are still arriving lie in folders whose names begin with a dot. */
const isHidden = (path: string): boolean => path.split("/").some((step) => step.startsWith("."));

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [] as Dirent[];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !isHidden(path));
}

/** -> false for a file that went meanwhile: what was erased stays so */
const copied = async (from: string, to: string): Promise<boolean> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Copies every file of a folder. -> how many */
export async function copyFolder(from: string, to: string): Promise<number> {
  let count = 0;
  for (const path of await filesIn(from)) if (await copied(join(from, path), join(to, path))) count += 1;
  return count;
}

/** Copies those of the files named that are there, for their owner's eyes only. -> their names */
export async function copySecrets(from: string, to: string, names: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const name of names) {
    if (!(await copied(join(from, name), join(to, name)))) continue;
    await chmod(join(to, name), 0o600);
    kept.push(name);
  }
  return kept;
}
