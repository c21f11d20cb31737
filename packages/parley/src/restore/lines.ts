import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { PassThrough } from "node:stream";
import { createGunzip } from "node:zlib";
import { CommandFailure } from "../environment/failure.ts";

/** Uncompressed size after which the lines read so far are returned. @units bytes */
const batchBytes = 2 * 1_048_576;
const LINE_FEED = 10;

/**
 * Reads the lines of a gzip file in batches. The last batch is returned only if the checksum matches.
 * @errors CommandFailure
 */
export async function* gzipLines(file: string, sha256: string): AsyncGenerator<readonly string[]> {
  const refuse = (reason: string): never => {
    throw new CommandFailure(`${file} is damaged (${reason}). Use another backup. Nothing was restored.`);
  };
  const hash = createHash("sha256");
  const unpacked = createGunzip();
  const hashed = new PassThrough().on("data", (chunk: Buffer) => void hash.update(chunk));
  const stream = createReadStream(file);
  stream.once("error", (error) => unpacked.destroy(error));
  stream.pipe(hashed).pipe(unpacked);
  let partial: Buffer[] = [];
  let lines: string[] = [];
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      let begin = 0;
      // Splits at line feed bytes: `readline` also splits at other line separators, which JSON texts can contain.
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, begin)) {
        lines.push(Buffer.concat([...partial, chunk.subarray(begin, end)]).toString("utf8"));
        partial = [];
        begin = end + 1;
      }
      partial.push(chunk.subarray(begin));
      bytes += chunk.length;
      if (bytes < batchBytes || lines.length === 0) continue;
      yield lines;
      [lines, bytes] = [[], 0];
    }
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    // Errors of the consumer of this generator are passed on unchanged.
    if (/^Z_|^ENOENT$|^EACCES$|^EIO$|^EISDIR$/.test(code)) refuse(code);
    throw error;
  }
  if (hash.digest("hex") !== sha256) refuse("its checksum does not match");
  if (lines.length > 0) yield lines;
}
