import { existsSync } from "node:fs";
import { rm, stat, writeFile, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { PackageRefused, unpackPackage, type PackedFile } from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";
import { printable } from "../output/table.ts";
import { resolveFolder } from "../instance/instance.ts";

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
      `There is no manifest.json in ${folder}. Name the folder of an app, or create one with: npx parley init ${basename(folder)}`,
    );
  return folder;
}

/** Subfolder, beside a package, in which packages are unpacked. */
const PACKAGES_FOLDER = ".parley-packages";
/** Entries that are kept when a newer version is unpacked: the app's data and its installed dependencies. */
const RETAINED_ENTRIES = [".parley", "node_modules"];

const isPackage = async (path: string): Promise<boolean> =>
  extname(path).toLowerCase() === ".zip" &&
  (await stat(path).then(
    (found) => found.isFile(),
    () => false,
  ));

const filesOf = async (file: string): Promise<readonly PackedFile[]> => {
  try {
    return await unpackPackage(await readFile(file));
  } catch (error) {
    if (error instanceof PackageRefused) throw new CommandFailure(`${printable(file)} can't be run. ${error.message}`);
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${printable(file)} can't be read (${code}). Name a package that this user may read.`);
  }
};

/**
 * Unpacks a package in place of an earlier version; the app's data is kept.
 * @returns the folder of the app
 * @errors CommandFailure for a package that can't be run or unpacked
 */
async function unpackedFolder(file: string, packagesFolder = join(dirname(file), PACKAGES_FOLDER)): Promise<string> {
  const files = await filesOf(file);
  const folder = join(packagesFolder, basename(file, extname(file)));
  try {
    await makeFolder(folder);
    for (const name of await readdir(folder))
      if (!RETAINED_ENTRIES.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
    for (const { path, bytes } of files) {
      await makeFolder(dirname(join(folder, path)));
      await writeFile(join(folder, path), bytes, { flag: "wx" });
    }
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${printable(file)} can't be unpacked to ${printable(folder)} (${code}). Move it to a folder that you may write.`,
    );
  }
  return folder;
}

/** -> error code when the path can't be accessed, otherwise undefined */
const accessError = (path: string): Promise<string | undefined> =>
  stat(path).then(
    () => undefined,
    ({ code = "error" }: NodeJS.ErrnoException) => code,
  );

interface AppFolders {
  readonly folders: readonly string[];
  /** Folders that were unpacked from packages, whose code is not the operator's own. */
  readonly packages: ReadonlySet<string>;
}

/** Resolves the folders of apps, without duplicates; the current folder by default. @errors CommandFailure for a folder without an app */
export async function appFolders(dirs: readonly string[], cwd: string): Promise<AppFolders> {
  const folders: string[] = [];
  const packages = new Set<string>();
  for (const dir of dirs.length > 0 ? dirs : ["."]) {
    const path = resolve(cwd, dir);
    const isPackageFile = await isPackage(path);
    const folder = isPackageFile ? await unpackedFolder(path) : path;
    const reason = await accessError(join(folder, "manifest.json"));
    if (reason === "EACCES")
      throw new CommandFailure(`The folder ${folder} can't be read (${reason}). Grant this user read access to it.`);
    if (reason !== undefined)
      throw new CommandFailure(
        `There is no app in ${folder}: it has no manifest.json. Change to an app's folder, name an app's folder, or create an app with 'npx parley init'.`,
      );
    const resolvedFolder = await resolveFolder(folder);
    if (!folders.includes(resolvedFolder)) folders.push(resolvedFolder);
    if (isPackageFile) packages.add(resolvedFolder);
  }
  return { folders, packages };
}

/** The package of Concierge, which a release contains. In the repository, Concierge is the app at the root. */
const CONCIERGE = ["../../apps/concierge.zip", "../apps/concierge.zip"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * The app of a start in this folder: its own app, or Concierge for a folder without an app.
 * @shape dataFolder: receives Concierge
 * @returns a folder; `isConcierge` if the folder has no app of its own
 */
export async function startFolder(
  cwd: string,
  dataFolder: string,
): Promise<{ readonly folder: string; readonly isConcierge: boolean }> {
  const concierge = CONCIERGE.find((path) => existsSync(path));
  const isApp = (await accessError(join(cwd, "manifest.json"))) !== "ENOENT";
  if (isApp || concierge === undefined) return { folder: cwd, isConcierge: false };
  return { folder: await unpackedFolder(concierge, join(dataFolder, "apps")), isConcierge: true };
}
