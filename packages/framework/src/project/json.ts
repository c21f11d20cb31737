import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { transform, type Message, type TransformFailure } from "esbuild";
import { errorIn, type Finding } from "./finding.ts";

export type Read = { readonly value: unknown } | { readonly findings: readonly Finding[] };

/** Text of a file of the app; undefined when there is none. @errors any other trouble with the file */
export const readText = (folder: string, file: string): Promise<string | undefined> =>
  readFile(join(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });

/** What esbuild says of a place in a source file. */
export const findingOf = (file: string, { text, location }: Message): Finding =>
  errorIn(location?.file ?? file, "syntax", text, location ? { line: location.line, column: location.column + 1 } : {});

/** Reads JSON text; a mistake is told with its line, which JSON.parse does not know. */
export async function parseJson(file: string, text: string): Promise<Read> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const messages = await transform(text, { loader: "json", logLevel: "silent" }).then(
      () => [],
      ({ errors }: TransformFailure) => errors,
    );
    if (messages.length > 0) return { findings: messages.map((message) => ({ ...findingOf(file, message), file })) };
    return { findings: [errorIn(file, "syntax", error instanceof Error ? error.message : "The file is not JSON.")] };
  }
}
