import { createReadStream } from "node:fs";
import { PAYLOAD_BYTES_MAX } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

/** Stands for standard input. */
const INPUT = "-";

/** JSON that somebody wrote. @shape where: how the failure names it; wanted: what it must hold @errors UsageFailure */
export function parsedJson(text: string, where: string, wanted: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The reason quotes what was written, whatever that is.
    const reason = printable((error as Error).message).replaceAll(/\s+/g, " ");
    throw new CommandFailure(`${where} is no JSON (${reason}). ${wanted}`);
  }
}

/** JSON of a file, or of standard input (`-`); what has no end is read no further than the longest payload. @errors UsageFailure */
export async function readJson(file: string, wanted: string): Promise<unknown> {
  const source = file === INPUT ? process.stdin : createReadStream(file);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk as Buffer));
      bytes += (chunk as Buffer).length;
      if (bytes > PAYLOAD_BYTES_MAX) break;
    }
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`The file ${file} can't be read (${code}). ${wanted}`);
  }
  if (bytes > PAYLOAD_BYTES_MAX)
    throw new CommandFailure(
      `The file ${file} is longer than the ${PAYLOAD_BYTES_MAX / 1024 / 1024} MB that are read. ${wanted}`,
    );
  return parsedJson(Buffer.concat(chunks).toString("utf8"), `The file ${file}`, wanted);
}
