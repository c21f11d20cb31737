import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { isObject, type SchemaError } from "@parley/contract";
import type { Finding, JsonPath } from "./finding.ts";
import { found } from "./rules.ts";

type JsonRead = { readonly value: unknown } | { readonly findings: readonly Finding[] };

/** Some editors begin a file with a mark that JSON does not know. */
const withoutMark = (text: string) => text.replace(/^\uFEFF/, "");

/** The schema that an editor completes a file by is none of its content. */
const withoutSchema = (value: unknown): unknown => {
  if (!isObject(value) || typeof value["$schema"] !== "string") return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "$schema"));
};

/** No file of an app needs more; every reader here goes down one call a level. */
const DEEPEST = 64;

const isTooDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1)));

/** What the parser's codes mean. */
const JSON_ERRORS: Readonly<Record<string, string>> = {
  InvalidSymbol: "This is no JSON value: a text stands in double quotes",
  InvalidNumberFormat: "This is no number as JSON has it",
  PropertyNameExpected: "Expected a key in double quotes",
  ValueExpected: "Expected a value",
  ColonExpected: 'Expected ":" after the key',
  CommaExpected: 'Expected "," before this',
  CloseBraceExpected: 'Expected "}" before this',
  CloseBracketExpected: 'Expected "]" before this',
  EndOfFileExpected: "Expected nothing more: the value ended before this",
  InvalidCommentToken: "JSON does not support comments",
  UnexpectedEndOfComment: "This comment does not end, and JSON does not support comments",
  UnexpectedEndOfString: "This text does not end on its line",
  UnexpectedEndOfNumber: "This number does not end",
  InvalidUnicode: "This is no Unicode escape",
  InvalidEscapeCharacter: "JSON does not know this escape",
  InvalidCharacter: "A control character must be escaped in a text",
};

/** The first mistake in JSON text, with line and column, which JSON.parse does not tell. */
const jsonError = (file: string, text: string): Finding | undefined => {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return found("syntax", file, { text: "It is nested too deeply" });
  }
  const [first] = errors;
  if (!first) return undefined;
  const comma = /[}\]]/.test(text.charAt(first.offset)) ? /,\s*$/.exec(text.slice(0, first.offset)) : null;
  const before = text.slice(0, comma?.index ?? first.offset).split("\n");
  const said = JSON_ERRORS[printParseErrorCode(first.error)] ?? "The file is not JSON";
  return found(
    "syntax",
    file,
    { text: comma ? "JSON does not support trailing commas" : said },
    { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
  );
};

/** Reads JSON text; a mistake is told with its line. */
export function parseAppJson(file: string, given: string): JsonRead {
  const text = withoutMark(given);
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value)) return { findings: [found("syntax", file, { text: "It is nested too deeply" })] };
    return { value: withoutSchema(value) };
  } catch (error) {
    const other = error instanceof Error ? error.message : "The file is not JSON";
    return { findings: [jsonError(file, text) ?? found("syntax", file, { text: other })] };
  }
}

/** Where a misfit stands: a schema points with `/`. */
export const misfitPath = ({ pointer }: SchemaError): JsonPath =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What a schema says of a misfit, with the members that it is about. */
export const misfitMessage = ({ message, properties }: SchemaError): string =>
  properties.every((name) => message.includes(name)) ? message : `${message} ${properties.join(", ")}`;
