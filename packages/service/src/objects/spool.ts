import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ARRIVING } from "./folder.ts";

/** Where a content waits that must be whole before it can be worked on. */
export type Spool = <T>(
  content: AsyncIterable<Uint8Array>,
  work: (read: () => Promise<Buffer>) => Promise<T>,
) => Promise<T>;

/** Contents wait in files without a name: however the process ends, nothing of them is left. */
export const spoolIn =
  (folder: string): Spool =>
  async (content, work) => {
    const arriving = await mkdtemp(join(folder, ARRIVING));
    let file: FileHandle;
    try {
      file = await open(join(arriving, "content"), "wx+", 0o600);
    } finally {
      await rm(arriving, { recursive: true, force: true });
    }
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      return await work(() => buffer(file.createReadStream({ start: 0, autoClose: false })));
    } finally {
      await file.close();
    }
  };
