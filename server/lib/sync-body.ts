import type { SettingLineProblem } from "./setting-lines.ts";
import { parseMessageTemplate, type ParsedMessageTemplate } from "./template.ts";

/** The admin's form of the posted document, or the problem with it. */
type ParsedSyncBody =
  | { readonly ok: true; render(view: object): string }
  | { readonly ok: false; readonly problems: readonly SettingLineProblem[] };

const CHARACTERS_MAX = 10_000;
const NESTING_DEPTH_MAX = 20;
const TOO_DEEP = `the document is nested more than ${NESTING_DEPTH_MAX} deep.`;

/** A document whose texts are parsed templates. */
type PreparedValue =
  | Extract<ParsedMessageTemplate, { readonly ok: true }>
  | readonly PreparedValue[]
  | ReadonlyMap<string, PreparedValue>
  | number
  | boolean
  | null;

const lineAt = (text: string, at: number): number => text.slice(0, at).split(/\r\n|\r|\n/).length;

/** JavaScript engines state the position in messages of different forms. */
const lineOf = (text: string, error: unknown): number => {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  const line = /at line (\d+)/.exec(message)?.[1];
  return line === undefined ? lineAt(text, text.trimEnd().length) : Number(line);
};

const renderValue = (prepared: PreparedValue, view: object): unknown => {
  if (typeof prepared !== "object" || prepared === null) return prepared;
  if ("render" in prepared) return prepared.render(view);
  if (prepared instanceof Map)
    return Object.fromEntries([...prepared].map(([name, inner]) => [name, renderValue(inner as PreparedValue, view)]));
  return (prepared as readonly PreparedValue[]).map((inner) => renderValue(inner, view));
};

/**
 * Parses the form of the posted document: JSON, in which each text is a template. JSON is parsed before values are inserted, so that a
 * customer's value can't end a text and add members.
 */
export function parseSyncBody(text: string): ParsedSyncBody {
  const invalid = (line: number, message: string) => ({ ok: false, problems: [{ line, message }] }) as const;
  if (text.length > CHARACTERS_MAX) return invalid(1, `the document has more than ${CHARACTERS_MAX} characters.`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return invalid(
      lineOf(text, error),
      'this is not JSON: write { "name": "text", … }, each name and text in double quotes.',
    );
  }
  if (typeof document !== "object" || document === null)
    return invalid(1, 'the document must be an object, { "name": "text" }, or a list.');

  const problems: SettingLineProblem[] = [];
  const prepare = (value: unknown, depth: number): PreparedValue => {
    if (typeof value === "string") {
      const read = parseMessageTemplate(value);
      if (read.ok) return read;
      const at = text.indexOf(JSON.stringify(value));
      problems.push({ line: at < 0 ? 1 : lineAt(text, at), message: read.problem.message });
      return null;
    }
    if (typeof value !== "object" || value === null) return value as number | boolean | null;
    if (depth === NESTING_DEPTH_MAX) {
      problems.push({ line: 1, message: TOO_DEEP });
      return null;
    }
    if (Array.isArray(value)) return value.map((inner) => prepare(inner, depth + 1));
    return new Map(Object.entries(value).map(([name, inner]) => [name, prepare(inner, depth + 1)]));
  };
  const prepared = prepare(document, 0);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, render: (view) => JSON.stringify(renderValue(prepared, view)) };
}

/** An empty text selects the default form, which is valid. */
export const syncBodyProblems = (text: string): readonly SettingLineProblem[] => {
  const form = text.trim() === "" ? undefined : parseSyncBody(text);
  return form && !form.ok ? form.problems : [];
};
