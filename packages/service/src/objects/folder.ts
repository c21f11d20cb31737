import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageFailure } from "../usage-failure.ts";
import type { ObjectStore } from "./objects.ts";

/** Letters, digits, `_`, `-` and inner dots between slashes: no step of it leads out of the folder or into what is hidden in it. */
const KEY = /^(?=.{1,512}$)[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199})*$/;

/** Whether a text may be a key. */
export const isKey = (text: string): boolean => KEY.test(text);

/** Contents that are still arriving lie in folders of this name: no key begins with a dot. */
export const ARRIVING = ".arriving-";
/** No content takes as long to arrive: what is older was left by a process that died. @units milliseconds */
const FORGOTTEN = 24 * 60 * 60 * 1000;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

const isAbsent = (error: unknown) => ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** -> undefined where the file system says that there is no such thing. */
const orNothing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });

/** A rename is kept over a loss of power only when its folder is written too. */
const syncFolder = async (folder: string) => {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const write = async (path: string, content: AsyncIterable<Uint8Array>) => {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path, "wx", OWNER_ONLY.file);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
};

/**
 * Makes the folder, and clears what processes that died left half arrived.
 * @errors UsageFailure that names the folder
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
    await access(folder, constants.W_OK | constants.X_OK);
    // The present by the file system's own clock, which is the one that dated the others.
    const probe = await mkdtemp(join(folder, ARRIVING));
    const present = (await stat(probe)).mtimeMs;
    await rm(probe, { recursive: true });
    for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(ARRIVING))) {
      const found = await orNothing(stat(join(folder, name)));
      if (found && present - found.mtimeMs > FORGOTTEN) await rm(join(folder, name), { recursive: true, force: true });
    }
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(
      `The folder of uploads ${folder} can't be written (${reason}). Set PARLEY_OBJECTS to a folder that you may write.`,
    );
  }
}

/** Objects as files of a folder, which only their owner may read. Several processes may share it. */
export function folderStore(folder: string): ObjectStore {
  const pathOf = (key: string): string => {
    if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is no key of an object`);
    return join(folder, key);
  };
  return {
    async put(key, content) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY.folder });
      const arriving = await mkdtemp(join(folder, ARRIVING));
      try {
        const fresh = join(arriving, "content");
        const kept = await write(fresh, content);
        await rename(fresh, path);
        await syncFolder(dirname(path));
        return kept;
      } finally {
        await rm(arriving, { recursive: true, force: true });
      }
    },
    async read(key, range) {
      const file = await orNothing(open(pathOf(key), "r"));
      return file && createReadStream("", { fd: file, ...(range && { start: range.first, end: range.last }) });
    },
    size: async (key) => (await orNothing(stat(pathOf(key))))?.size,
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}
