import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates one folder; a folder that a concurrent process has created counts as success. */
const makeOne = async (path: string, mode?: number): Promise<void> => {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

/**
 * Creates a folder and its missing ancestors. Unlike `mkdir` with `recursive`, it also terminates on file systems that can't create folders.
 * @shape mode: permission bits of the folder itself; 0o777 without the bits of the umask by default
 * @errors errors of the file system
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path, mode);
  }
}
