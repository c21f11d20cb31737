import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { PAYLOAD_BYTES_MAX, unknownMembers } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

/** File name that stands for standard input. */
const STANDARD_INPUT = "-";

/** Parses JSON that the user wrote. @shape where: subject of the failure message; wanted: description of the expected content @errors CommandFailure */
export function parseUserJson(text: string, where: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the input, which can contain control characters.
    const reason = printable((error as Error).message).replaceAll(/\s+/g, " ");
    throw new CommandFailure(`${where} is not valid JSON (${reason}). ${expected}`);
  }
}

/** Reads JSON from a file or from standard input (`-`), at most the maximum payload size, because an input can be endless. @errors CommandFailure */
export async function readJson(file: string, expected: string): Promise<unknown> {
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
    throw new CommandFailure(`The file ${file} can't be read (${code}). ${expected}`);
  }
  if (bytes > PAYLOAD_BYTES_MAX)
    throw new CommandFailure(`The file ${file} is longer than ${PAYLOAD_BYTES_MAX / 1024 / 1024} MB. ${expected}`);
  return parseUserJson(Buffer.concat(chunks).toString("utf8"), `The file ${file}`, expected);
}

const read = async (file: string): Promise<string> => {
  if (file === "-") return text(process.stdin);
  return readFile(file, "utf8").catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The document ${file} can't be read (${reason}). Give the path of a file, or - for standard input.`,
    );
  });
};

const oneLine = (message: string) => printable(message).replaceAll("\n", " ");

const parse = (content: string, title: string): unknown => {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new CommandFailure(oneLine(`The document ${title} is not valid JSON: ${(error as SyntaxError).message}`));
  }
};

/**
 * Reads a document from a file or from the standard input. Unknown members, which the service would ignore, are refused, because they are
 * usually misspelt.
 * @shape refuse: returns the expected shape when the value does not have it
 * @errors CommandFailure that names the member
 */
export async function readDocument(
  file: string,
  schema: Parameters<typeof unknownMembers>[0],
  expectedShape: (value: unknown) => string | undefined,
): Promise<unknown> {
  const title = file === "-" ? "on the standard input" : file;
  const value = parse(await read(file), title);
  const expected = expectedShape(value);
  if (expected !== undefined) throw new CommandFailure(`The document ${title} must be ${expected}.`);
  const [unknownMember] = unknownMembers(schema, value);
  if (unknownMember !== undefined)
    throw new CommandFailure(
      oneLine(`The document ${title} has an unknown member: ${unknownMember}. Check its spelling.`),
    );
  return value;
}
