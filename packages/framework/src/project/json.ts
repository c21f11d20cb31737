import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Misfit } from "@parley/contract";
import { transform, type Message, type TransformFailure } from "esbuild";
import type { Finding, JsonPath } from "./finding.ts";
import { found } from "./rules.ts";

export type Read = { readonly value: unknown } | { readonly findings: readonly Finding[] };

/** Text of a file of the app; undefined when there is none. @errors any other trouble with the file */
export const readText = (folder: string, file: string): Promise<string | undefined> =>
  readFile(join(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(error.code ?? "")) return undefined;
    throw error;
  });

/** What esbuild says of a place in a source file. */
export const findingOf = (file: string, { text, location }: Message): Finding =>
  found(
    "syntax",
    location?.file ?? file,
    { text },
    location ? { line: location.line, column: location.column + 1 } : {},
  );

/** Some editors begin a file with a mark that JSON does not know. */
const withoutMark = (text: string) => text.replace(/^\uFEFF/, "");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema that an editor completes a file by is none of its content. */
const withoutSchema = (value: unknown): unknown => {
  if (!isRecord(value) || typeof value["$schema"] !== "string") return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "$schema"));
};

/** No file of an app needs more; every reader here goes down one call a level. */
const DEEPEST = 64;

const isTooDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1)));

/** Reads JSON text; a mistake is told with its line, which JSON.parse does not know. */
export async function parseJson(file: string, given: string): Promise<Read> {
  const text = withoutMark(given);
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value)) return { findings: [found("syntax", file, { text: "It is nested too deeply" })] };
    return { value: withoutSchema(value) };
  } catch (error) {
    const messages = await transform(text, { loader: "json", logLevel: "silent" }).then(
      () => [],
      ({ errors }: TransformFailure) => errors,
    );
    if (messages.length > 0) return { findings: messages.map((message) => ({ ...findingOf(file, message), file })) };
    return {
      findings: [found("syntax", file, { text: error instanceof Error ? error.message : "The file is not JSON." })],
    };
  }
}

/** Where a misfit stands: a schema points with `/`. */
export const pathOf = ({ pointer }: Misfit): JsonPath =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What a schema says of a misfit, with the members that it is about. */
export const wordsOf = ({ message, properties }: Misfit): string =>
  properties.every((name) => message.includes(name)) ? message : `${message} ${properties.join(", ")}`;
