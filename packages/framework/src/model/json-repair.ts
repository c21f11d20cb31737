import { visit } from "jsonc-parser";
import type { JsonEdit } from "./finding.ts";

type Replacement = Extract<JsonEdit, { kind: "replace" }>;

/** Extends the range of a comment to its line if nothing else is on it, else to the spaces before it. */
const commentRange = (text: string, start: number, end: number): Replacement => {
  const before = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const from = start - before;
  const isWholeLine = from === 0 || text[from - 1] === "\n";
  const lineEnd = isWholeLine ? (/^[ \t]*(?:\r?\n|$)/.exec(text.slice(end))?.[0].length ?? 0) : 0;
  // A line comment ends before the carriage return.
  return { kind: "replace", start: isWholeLine && lineEnd > 0 ? from : start - before, end: end + lineEnd, text: "" };
};

/** Applies replacements that do not overlap. */
export const withReplacements = (text: string, replacements: readonly Replacement[]): string => {
  let [result, limit] = [text, text.length];
  for (const { start, end, text: replacement } of [...replacements].sort((one, other) => other.end - one.end)) {
    if (end > limit) continue;
    result = result.slice(0, start) + replacement + result.slice(end);
    limit = start;
  }
  return result;
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Edits that remove comments and trailing commas from a text, if it is JSON without them; otherwise undefined. */
export const jsonRepair = (text: string): readonly Replacement[] | undefined => {
  const edits: Replacement[] = [];
  const errors: unknown[] = [];
  let comma: Replacement | undefined;
  const continues = () => void (comma = undefined);
  const ends = () => {
    if (comma) edits.push(comma);
    comma = undefined;
  };
  visit(
    text,
    {
      onComment: (offset, length) => void edits.push(commentRange(text, offset, offset + length)),
      onSeparator(character, start) {
        if (character === ",") comma = { kind: "replace", start, end: start + 1, text: "" };
      },
      onObjectBegin: continues,
      onArrayBegin: continues,
      onObjectProperty: continues,
      onLiteralValue: continues,
      onObjectEnd: ends,
      onArrayEnd: ends,
      onError: (error) => void errors.push(error),
    },
    { disallowComments: false, allowTrailingComma: true },
  );
  return errors.length === 0 && edits.length > 0 && isJson(withReplacements(text, edits)) ? edits : undefined;
};
