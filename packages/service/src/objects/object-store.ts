import { mkdtemp, open, rm, type FileHandle, access, mkdir, readdir, rename, stat } from "node:fs/promises";
import { join, dirname } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { UsageFailure } from "../environment/settings.ts";

/** Size and digest of a stored object. */
interface StoredObject {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** First and last byte position, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Storage for uploads and reports. The default is a folder; any object storage can implement it. */
export interface ObjectStore {
  /**
   * Atomic: an incomplete content stores nothing, and an existing object is replaced as a whole. Repeating a put is
   * safe.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** -> undefined if there is no such object. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** -> undefined if there is no such object. @units bytes */
  size(key: string): Promise<number | undefined>;
  /** Succeeds if there is no such object. */
  remove(key: string): Promise<void>;
  /** Removes every object whose key begins with `prefix` and a slash. May be called again. */
  removeAll(prefix: string): Promise<void>;
}

/** Buffers a stream on disk until it is complete, then passes it to `work`. */
export type SpoolFile = <T>(
  content: AsyncIterable<Uint8Array>,
  work: (read: () => Promise<Buffer>) => Promise<T>,
) => Promise<T>;

/** Spools to unlinked files, which the system removes however the process ends. */
export const createSpoolFile =
  (folder: string): SpoolFile =>
  async (content, work) => {
    const partialFolder = await mkdtemp(join(folder, PARTIAL_PREFIX));
    let file: FileHandle;
    try {
      file = await open(join(partialFolder, "content"), "wx+", 0o600);
    } finally {
      await rm(partialFolder, { recursive: true, force: true });
    }
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      return await work(() => buffer(file.createReadStream({ start: 0, autoClose: false })));
    } finally {
      await file.close();
    }
  };

/** Letters, digits, `_`, `-` and inner dots between slashes: a key cannot leave the folder or name a hidden entry. */
const KEY = /^(?=.{1,512}$)[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199})*$/;

/** Whether a text is a valid key. */
export const isKey = (text: string): boolean => KEY.test(text);

/** Name prefix of folders with incomplete contents. Keys never begin with a dot. */
const PARTIAL_PREFIX = ".arriving-";
/** Age after which an incomplete content is known to be abandoned by a crashed process. @units milliseconds */
const abandonedAfterMs = 24 * 60 * 60 * 1000;
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

/**
 * Creates the folder and removes incomplete contents of crashed processes.
 * @errors UsageFailure that names the folder
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
    await access(folder, constants.W_OK | constants.X_OK);
    // Uses the file system's clock, which also dated the other entries.
    const probe = await mkdtemp(join(folder, PARTIAL_PREFIX));
    const present = (await stat(probe)).mtimeMs;
    await rm(probe, { recursive: true });
    for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(PARTIAL_PREFIX))) {
      const found = await orUndefined(stat(join(folder, name)));
      if (found && present - found.mtimeMs > abandonedAfterMs)
        await rm(join(folder, name), { recursive: true, force: true });
    }
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(
      `The folder of uploads ${folder} can't be written (${reason}). Set PARLEY_OBJECTS to a folder that you may write.`,
    );
  }
}

/** Object store in a folder with owner-only permissions. Several processes may share it. */
export function folderStore(folder: string): ObjectStore {
  const pathOf = (key: string): string => {
    if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is no key of an object`);
    return join(folder, key);
  };
  return {
    async put(key, content) {
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
    },
    async read(key, range) {
      const file = await orUndefined(open(pathOf(key), "r"));
      return file && createReadStream("", { fd: file, ...(range && { start: range.first, end: range.last }) });
    },
    size: async (key) => (await orUndefined(stat(pathOf(key))))?.size,
    remove: (key) => rm(pathOf(key), { force: true }),
    // Retried: an object may be put into the folder while it is removed.
    removeAll: (prefix) => rm(pathOf(prefix), { recursive: true, force: true, maxRetries: 3 }),
  };
}
