import { access, chmod, constants, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { makePrivate } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { DATA_FOLDER } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Creates the data folder, accessible by its owner only.
 * @errors CommandFailure when the folder can't be written
 */
export async function prepareDataFolder(folder: string, log: Log): Promise<void> {
  try {
    const isNew = !(await exists(folder));
    // The mode is set on creation: a folder that is restricted afterwards would be reported as open by a concurrent start.
    if (isNew) await makeFolder(folder, 0o700);
    // The trailing dot makes the check fail for a file of that name.
    await access(`${folder}/.`, constants.W_OK | constants.X_OK);
    makePrivate(folder, log, isNew);
    // The folder contains keys, so Git ignores it. An existing folder of another name is left alone, because it may hold files of the user.
    if (isNew || basename(folder) === DATA_FOLDER) await writeGitIgnore(folder);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The data folder ${folder} can't be written (${reason}). Set PARLEY_DATA to a folder that you may write.`,
    );
  }
}

const writeGitIgnore = (folder: string) =>
  writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });

/** Reads a secret of the data folder. -> undefined without such a file */
export async function readSecret(folder: string, name: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, name), "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a secret atomically; only the owner can read it at any time. */
export async function writeSecret(folder: string, name: string, secret: string): Promise<void> {
  const temporary = join(folder, `${name}.new`);
  await rm(temporary, { force: true });
  await writeFile(temporary, `${secret}\n`, { mode: 0o600, flag: "wx" });
  await chmod(temporary, 0o600);
  await rename(temporary, join(folder, name));
}
