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
      `The document ${file} can't be read (${reason}). Give the path of a file, or - for stdin.`,
    );
  });
};

const line = (words: string) => printable(words).replaceAll("\n", " ");

const parse = (content: string, title: string): unknown => {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new CommandFailure(line(`The document ${title} is not valid JSON: ${(error as SyntaxError).message}`));
  }
};

/**
 * Reads a document from a file, or from the standard input. What the service would pass over in silence is refused here: a
 * misspelt member is meant to do something.
 * @shape refuse: says what the value must be, where it is not even that
 * @errors UsageFailure that names the place
 */
export async function readDocument(
  file: string,
  schema: Parameters<typeof unknownMembers>[0],
  refuse: (value: unknown) => string | undefined,
): Promise<unknown> {
  const title = file === "-" ? "on the standard input" : file;
  const value = parse(await read(file), title);
  const wrong = refuse(value);
  if (wrong !== undefined) throw new CommandFailure(`The document ${title} must be ${wrong}.`);
  const [stranger] = unknownMembers(schema, value);
  if (stranger !== undefined)
    throw new CommandFailure(
      line(`The document ${title} has a member that means nothing: ${stranger}. Check its spelling.`),
    );
  return value;
}
