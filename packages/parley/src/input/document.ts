import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { unknownMembers } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

const read = async (file: string): Promise<string> => {
  if (file === "-") return text(process.stdin);
  return readFile(file, "utf8").catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The document ${file} can't be read (${reason}). Give the path of a file, or - for standard input.`,
    );
  });
};

const oneLine = (words: string) => printable(words).replaceAll("\n", " ");

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
