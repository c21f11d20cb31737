import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HostPorts } from "../environment/ports.ts";
import type { PackedFile } from "../package/files/app-file.ts";

/** Folder of packages in the data folder. Each unpacked version has a subfolder, named by its digest. */
export const packagesFolder = (dataFolder: string): string => join(dataFolder, "app-packages");

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Names of folders in use by a process: `.work-<process id>-<id>`. */
const WORK_NAME = /^\.work-(\d+)-/;
/** Age after which a work folder is abandoned, even if a process has its process id. @units milliseconds */
const WORK_FOLDER_AGE_MS_MAX = 24 * 60 * 60 * 1_000;

/** Creates the folder of packages, which only its owner can read. */
export const makePackagesFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await chmod(folder, FOLDER_MODE);
};

/** Creates an empty work folder in the folder of packages. */
export const makeWorkFolder = async (folder: string, { newId }: Pick<HostPorts, "newId">): Promise<string> => {
  await makePackagesFolder(folder);
  const path = join(folder, `.work-${process.pid}-${newId()}`);
  await mkdir(path, { mode: FOLDER_MODE });
  return path;
};

export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Removes the work folders of processes that have ended. A process id may have been given to another process, or to this process. */
export const removeAbandonedFolders = async (folder: string, now: Date): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(WORK_NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const changed = await stat(join(folder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const isOfEarlierProcess = pid === process.pid && changed < performance.timeOrigin;
    const isOld = changed < now.getTime() - WORK_FOLDER_AGE_MS_MAX;
    if (isOfEarlierProcess || isOld || !isAlive(pid)) await removeFolder(join(folder, name));
  }
};

/** Writes the files of a package to an empty folder. */
export const writePackedFiles = async (folder: string, files: readonly PackedFile[]): Promise<void> => {
  for (const { path, bytes } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: FOLDER_MODE });
    await writeFile(join(folder, path), bytes, { flag: "wx", mode: FILE_MODE });
  }
};

/** Paths of all entries of a folder that are not folders; undefined if an entry is not a regular file, or the folder is replaced meanwhile. */
const filesBelow = async (folder: string, below = ""): Promise<string[] | undefined> => {
  const found: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => undefined);
  if (!entries) return undefined;
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) found.push(path);
    else {
      const inner = entry.isDirectory() ? await filesBelow(folder, path) : undefined;
      if (!inner) return undefined;
      found.push(...inner);
    }
  }
  return found;
};

/** Whether a folder has exactly these files, and only its owner can read it. */
const hasExactly = async (folder: string, files: readonly PackedFile[]): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || (found.mode & 0o077) !== 0) return false;
  const paths = await filesBelow(folder);
  if (paths?.length !== files.length) return false;
  for (const { path, bytes } of files) {
    const present = await readFile(join(folder, path)).catch(() => undefined);
    if (!present?.equals(bytes)) return false;
  }
  return true;
};

/** Attempts to put a copy in place while other processes do the same. */
const PLACE_ATTEMPTS_MAX = 5;

/**
 * Ensures that the folder of a digest has exactly these files. An existing copy is checked, and replaced if it differs. Several processes may
 * do this at the same time.
 * @returns the path of the copy
 */
export const placeCopy = async (
  folder: string,
  digest: string,
  files: readonly PackedFile[],
  ports: Pick<HostPorts, "newId">,
): Promise<string> => {
  const target = join(folder, digest);
  for (let attempt = 1; attempt <= PLACE_ATTEMPTS_MAX; attempt += 1) {
    if (await hasExactly(target, files)) return target;
    const work = await makeWorkFolder(folder, ports);
    try {
      await mkdir(join(work, "new"), { mode: FOLDER_MODE });
      await writePackedFiles(join(work, "new"), files);
      await rename(target, join(work, "old")).catch(() => undefined);
      await rename(join(work, "new"), target);
      return target;
    } catch (error) {
      // Another process has put its copy in place in the meantime: it is checked by the next attempt.
      if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    } finally {
      await removeFolder(work);
    }
  }
  throw new Error(`The files of a package can't be kept in ${target}: another program changes them.`);
};

const DIGEST = /^[0-9a-f]{64}$/;

/** Removes the copies of versions that no longer exist. */
export const removeOldCopies = async (folder: string, digests: ReadonlySet<string>): Promise<void> => {
  for (const name of await readdir(folder).catch(() => []))
    if (DIGEST.test(name) && !digests.has(name)) await removeFolder(join(folder, name));
};
