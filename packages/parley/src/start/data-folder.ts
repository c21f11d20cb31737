import { access, chmod, constants, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageFailure } from "../failure.ts";

/**
 * Makes the data folder, or says why it can't be written.
 * @errors UsageFailure
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(
      `The data folder ${folder} can't be written (${reason}). Set PARLEY_DATA to a folder that you may write.`,
    );
  }
}

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
