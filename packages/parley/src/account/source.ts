import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { AccountDocument, strangersIn } from "@parley/contract";
import { UsageFailure } from "../failure.ts";
import { printable } from "../printable.ts";

const read = async (file: string): Promise<string> => {
  if (file === "-") return text(process.stdin);
  return readFile(file, "utf8").catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(`The document ${file} can't be read (${reason}). Give the path of a file, or - for stdin.`);
  });
};

const line = (words: string) => printable(words).replaceAll("\n", " ");

const parse = (content: string, title: string): unknown => {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new UsageFailure(line(`The document ${title} is not valid JSON: ${(error as SyntaxError).message}`));
  }
};

/**
 * Reads a document from a file, or from the standard input. What the service would pass over in silence is refused here: a
 * misspelt member is meant to do something.
 * @errors UsageFailure that names the place
 */
export async function documentIn(file: string): Promise<AccountDocument> {
  const title = file === "-" ? "on the standard input" : file;
  const value = parse(await read(file), title);
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
  if (typeof name !== "string" || name === "")
    throw new UsageFailure(`The document ${title} must be an object with the account's name: {"name": "acme", …}.`);
  const [stranger] = strangersIn(AccountDocument, value);
  if (stranger !== undefined)
    throw new UsageFailure(
      line(`The document ${title} has a member that means nothing: ${stranger}. Check its spelling.`),
    );
  // What else it has to be is the service's to say: it names the place.
  return value as AccountDocument;
}
