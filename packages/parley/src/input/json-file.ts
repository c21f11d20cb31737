import { createReadStream } from "node:fs";
import { PAYLOAD_BYTES_MAX } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

/** File name that stands for standard input. */
const STANDARD_INPUT = "-";

/** Parses JSON that the user wrote. @shape where: subject of the failure message; wanted: description of the expected content @errors CommandFailure */
export function parseUserJson(text: string, where: string, wanted: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the input, which can contain control characters.
    const reason = printable((error as Error).message).replaceAll(/\s+/g, " ");
    throw new CommandFailure(`${where} is not valid JSON (${reason}). ${wanted}`);
  }
}

/** Reads JSON from a file or from standard input (`-`), at most the maximum payload size, because an input can be endless. @errors CommandFailure */
export async function readJson(file: string, wanted: string): Promise<unknown> {
  const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
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
    throw new CommandFailure(`The file ${file} is longer than ${PAYLOAD_BYTES_MAX / 1024 / 1024} MB. ${wanted}`);
  return parseUserJson(Buffer.concat(chunks).toString("utf8"), `The file ${file}`, wanted);
}
