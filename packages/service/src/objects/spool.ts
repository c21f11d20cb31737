import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { PARTIAL_PREFIX } from "./folder-store.ts";

/** Buffers a stream on disk until it is complete, then passes it to `work`. */
export type SpoolFile = <T>(
  content: AsyncIterable<Uint8Array>,
  work: (read: () => Promise<Buffer>) => Promise<T>,
) => Promise<T>;

/** Opens an unlinked file for writing and reading, which the system removes however the process ends. The caller closes it. */
export const openScratchFile = async (folder: string): Promise<FileHandle> => {
  const partialFolder = await mkdtemp(join(folder, PARTIAL_PREFIX));
  try {
    return await open(join(partialFolder, "content"), "wx+", 0o600);
  } finally {
    await rm(partialFolder, { recursive: true, force: true });
  }
};

/** Spools to unlinked files. */
export const createSpoolFile =
  (folder: string): SpoolFile =>
  async (content, work) => {
    const file = await openScratchFile(folder);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      return await work(() => buffer(file.createReadStream({ start: 0, autoClose: false })));
    } finally {
      await file.close();
    }
  };
