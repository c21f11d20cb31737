import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { CommandFailure } from "../environment/failure.ts";

/** Input of an import, with the number of bytes read so far. */
interface ImportSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Size of the file on disk; 0 when unknown. @units bytes */
  readonly totalBytes: number;
  readonly bytesRead: () => number;
}

const STANDARD_INPUT = "-";

/** Opens a file (decompressed if its name ends in .gz) or the standard input (`-`). @errors CommandFailure */
export async function openImportSource(file: string): Promise<ImportSource> {
  if (file === STANDARD_INPUT) return { bytes: process.stdin, totalBytes: 0, bytesRead: () => 0 };
  const found = await stat(file).catch((error: unknown) => {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`The file ${file} can't be read (${code}). Name a file that 'parley export' wrote, or -.`);
  });
  if (!found.isFile()) throw new CommandFailure(`${file} is not a file. Name a file that 'parley export' wrote, or -.`);
  const stream = createReadStream(file, { highWaterMark: 262_144 });
  const read = () => stream.bytesRead;
  if (!file.endsWith(".gz")) return { bytes: stream, totalBytes: found.size, bytesRead: read };
  const unpacked = stream.pipe(createGunzip());
  stream.once("error", (error) => unpacked.destroy(error));
  return { bytes: unpacked, totalBytes: found.size, bytesRead: read };
}
