import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, open, opendir, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LIMITS, UsageFailure } from "@parley/contract";
import { failFull, withFolderFailures } from "./folder-failures.ts";
import {
  isKey,
  validKey,
  type ListedObject,
  type ObjectStore,
  type StorageSpace,
  type StoredObject,
} from "./object-store.ts";

/** Name prefix of folders with incomplete contents. Keys never begin with a dot. */
export const PARTIAL_PREFIX = ".arriving-";
/** Age after which an incomplete content is known to be abandoned by a crashed process. @units milliseconds */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

const isAbsent = (error: unknown) => ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** -> undefined if the file does not exist. */
const orUndefined = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });

/** A rename survives a power loss only after its folder is synced. */
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

/** Time of the file system, whose clock also dated the other entries. @units milliseconds since 1970 */
const fileSystemTime = async (folder: string): Promise<number> => {
  const probe = await mkdtemp(join(folder, PARTIAL_PREFIX));
  try {
    return (await stat(probe)).mtimeMs;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
};

const removeIncomplete = async (folder: string, minAgeMs: number): Promise<number> => {
  const present = await fileSystemTime(folder);
  let count = 0;
  for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(PARTIAL_PREFIX))) {
    const found = await orUndefined(stat(join(folder, name)));
    if (!found || present - found.mtimeMs <= minAgeMs) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    count += 1;
  }
  return count;
};

/** Creates the folder. @errors UsageFailure that names the folder, if it can't exist or belongs to another user */
export async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code: reason = "error", syscall } = error as NodeJS.ErrnoException;
    // The folder exists, and will work again when its file system is mounted for writing.
    if (reason === "EROFS" && syscall === "access") return;
    throw new UsageFailure(
      `The folder of uploads ${folder} can't be written (${reason}). Set PARLEY_OBJECTS to a folder that you may write.`,
    );
  }
}

const spaceOf = async (folder: string): Promise<StorageSpace> => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/** More than what a file system keeps within the entry of a file. @units bytes */
const PROBE_BYTES = 4_096;

/** Writes and removes a file, and removes incomplete contents of crashed processes. @errors ObjectStoreFailure, UsageFailure */
const checkFolder = async (folder: string): Promise<void> => {
  await createFolder(folder);
  await withFolderFailures(folder, async () => {
    const probe = await mkdtemp(join(folder, PARTIAL_PREFIX));
    try {
      await writeFile(join(probe, "content"), Buffer.alloc(PROBE_BYTES), { mode: OWNER_ONLY.file, flush: true });
    } finally {
      await rm(probe, { recursive: true, force: true });
    }
    await removeIncomplete(folder, ABANDONED_AFTER_MS);
    const { freeBytes } = await spaceOf(folder);
    if (freeBytes < LIMITS.file_bytes) failFull(folder, freeBytes);
  });
};

/** Keys of all files, read one after another: a folder may have a million. A folder that is removed meanwhile contains no objects. */
async function* keysOf(folder: string, prefix = ""): AsyncGenerator<string> {
  const opened = await orUndefined(opendir(join(folder, prefix)));
  if (!opened) return;
  for await (const entry of opened) {
    // Incomplete contents begin with a dot.
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile()) yield prefix + entry.name;
    else if (entry.isDirectory()) yield* keysOf(folder, `${prefix}${entry.name}/`);
  }
}

async function* listFolder(folder: string): AsyncGenerator<ListedObject> {
  const present = await fileSystemTime(folder);
  for await (const key of keysOf(folder)) {
    if (!isKey(key)) continue;
    const found = await orUndefined(stat(join(folder, key)));
    // A copy can have the time of its original, but the inode's own time can't be set.
    if (found) yield { key, bytes: found.size, ageMs: present - Math.max(found.mtimeMs, found.ctimeMs) };
  }
}

const describeFile = async (path: string): Promise<StoredObject | undefined> => {
  const file = await orUndefined(open(path, "r"));
  if (!file) return undefined;
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest("hex") };
};

/** Object store in a folder with owner-only permissions. Several processes may share it. The folder must exist. */
export function folderStore(folder: string): ObjectStore {
  const pathOf = (key: string): string => join(folder, validKey(key));
  const guarded = <T>(work: () => Promise<T>) => withFolderFailures(folder, work);
  return {
    put: (key, content) =>
      guarded(async () => {
        const path = pathOf(key);
        await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY.folder });
        const partialFolder = await mkdtemp(join(folder, PARTIAL_PREFIX));
        try {
          const partialFile = join(partialFolder, "content");
          const stored = await write(partialFile, content);
          await rename(partialFile, path);
          await syncFolder(dirname(path));
          return stored;
        } finally {
          await rm(partialFolder, { recursive: true, force: true });
        }
      }),
    read: (key, range) =>
      guarded(async () => {
        const file = await orUndefined(open(pathOf(key), "r"));
        if (!file) return undefined;
        try {
          const { size: bytes } = await file.stat();
          return {
            bytes,
            content: createReadStream("", { fd: file, start: range?.first ?? 0, end: range?.last ?? Infinity }),
          };
        } catch (error) {
          await file.close();
          throw error;
        }
      }),
    size: (key) => guarded(async () => (await orUndefined(stat(pathOf(key))))?.size),
    describe: (key) => guarded(() => describeFile(pathOf(key))),
    remove: (key) => guarded(() => rm(pathOf(key), { force: true })),
    // Retried: an object may be put into the folder while it is removed.
    removeAll: (prefix) => guarded(() => rm(pathOf(prefix), { recursive: true, force: true, maxRetries: 3 })),
    list: () => listFolder(folder),
    removeIncomplete: (minAgeMs) => guarded(() => removeIncomplete(folder, minAgeMs)),
    check: () => checkFolder(folder),
    space: () => guarded(() => spaceOf(folder)),
  };
}
