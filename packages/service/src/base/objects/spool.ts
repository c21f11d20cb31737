import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { withFolderFailures } from "./folder-failures.ts";
import { PARTIAL_PREFIX } from "./folder-store.ts";

/** Buffers a stream on disk until it is complete, then passes it to `work`. */
export type SpoolFile = <T>(
  content: AsyncIterable<Uint8Array>,
  work: (read: () => Promise<Buffer>) => Promise<T>,
) => Promise<T>;

const openScratchFile = async (folder: string): Promise<FileHandle> => {
  const partialFolder = await mkdtemp(join(folder, PARTIAL_PREFIX));
  try {
    return await open(join(partialFolder, "content"), "wx+", 0o600);
  } finally {
    await rm(partialFolder, { recursive: true, force: true });
  }
};

/**
 * Passes an unlinked file for writing and reading to `work`. The system removes it however the process ends.
 * @errors ObjectStoreFailure if the folder can't be written; errors of `work`
 */
export const withScratchFile = <T>(folder: string, work: (file: FileHandle) => Promise<T>): Promise<T> =>
  withFolderFailures(folder, async () => {
    const file = await openScratchFile(folder);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  });

/** Spools to unlinked files. */
export const createSpoolFile =
  (folder: string): SpoolFile =>
  (content, work) =>
    withScratchFile(folder, async (file) => {
      for await (const chunk of content) await file.writeFile(chunk);
      return work(() => buffer(file.createReadStream({ start: 0, autoClose: false })));
    });
