import { access, chmod, constants, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { makePrivate } from "@parley/database";
import { DATA_FOLDER } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Makes the data folder, and leaves it to its owner alone, or says why it can't be written.
 * @errors UsageFailure
 */
export async function prepareDataFolder(folder: string, log: (line: string) => void): Promise<void> {
  try {
    const made = !(await exists(folder));
    // A folder that is created open and closed afterwards would be reported as open by a concurrent start.
    if (made) await makeFolder(folder, 0o700);
    // With the dot, so that a file of the name is none.
    await access(`${folder}/.`, constants.W_OK | constants.X_OK);
    makePrivate(folder, log, made);
    // Keys lie in it, which nobody means to commit. In a folder that was there before, such a file might hide somebody's work.
    if (made || basename(folder) === DATA_FOLDER) await ignore(folder);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The data folder ${folder} can't be written (${reason}). Set PARLEY_DATA to a folder that you may write.`,
    );
  }
}

const ignore = (folder: string) =>
  writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });

/** A secret kept for the next start: only its owner may read it. */
export async function readSecret(folder: string, name: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, name), "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written whole or not at all, never readable by others, not even for a moment. */
export async function writeSecret(folder: string, name: string, secret: string): Promise<void> {
  const fresh = join(folder, `${name}.new`);
  await rm(fresh, { force: true });
  await writeFile(fresh, `${secret}\n`, { mode: 0o600, flag: "wx" });
  await chmod(fresh, 0o600);
  await rename(fresh, join(folder, name));
}
