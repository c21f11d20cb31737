import { rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";

const kindOf = (path: string): Promise<"folder" | "other" | undefined> =>
  stat(path).then(
    (found) => (found.isDirectory() ? "folder" : "other"),
    () => undefined,
  );

/** Checks that a folder contains an app. @errors CommandFailure */
export async function appFolder(folder: string): Promise<string> {
  if ((await kindOf(folder)) !== "folder")
    throw new CommandFailure(`There is no folder ${folder}. Name the folder that holds manifest.json.`);
  if ((await kindOf(join(folder, "manifest.json"))) === undefined)
    throw new CommandFailure(
      `There is no manifest.json in ${folder}. Name the folder of an app, or create one with: parley init ${basename(folder)}`,
    );
  return folder;
}

/** Path of the package to write: the one requested, or a file in the app's dist/ folder. */
export async function targetOf(folder: string, name: string, out: string | undefined): Promise<string> {
  if (out === undefined) return join(folder, "dist", `${name}.zip`);
  const isFolder = /[\\/]$/.test(out) || (await kindOf(resolve(out))) === "folder";
  return isFolder ? join(resolve(out), `${name}.zip`) : resolve(out);
}

/** Replaces a file atomically. @errors CommandFailure when the file can't be written */
export async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.new`);
  try {
    await makeFolder(dirname(file));
    await writeFile(temporary, bytes, { flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${file} can't be written (${code}). Choose another path with --out.`);
  }
}
