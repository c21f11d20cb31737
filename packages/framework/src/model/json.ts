import { parse, printParseErrorCode, type ParseError, findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import { isObject, type SchemaError } from "@parley/contract";
import type { Finding, JsonPath, FindingWithPath } from "./finding.ts";
import { jsonRepair } from "./json-repair.ts";
import { createFinding } from "./rules.ts";

type JsonRead = { readonly value: unknown } | { readonly findings: readonly Finding[] };

/** Removes a byte order mark, which some editors write and JSON does not allow. */
const withoutByteOrderMark = (text: string) => text.replace(/^\uFEFF/, "");

/** Removes `$schema`, which is addressed to editors. */
const withoutSchema = (value: unknown): unknown => {
  if (!isObject(value) || typeof value["$schema"] !== "string") return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "$schema"));
};

/** Maximum nesting depth of an app's JSON file. Later stages recurse once per level. */
const JSON_DEPTH_MAX = 64;

const isTooDeep = (value: unknown, left = JSON_DEPTH_MAX): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1)));

/** Messages for the parser's error codes. */
const JSON_ERRORS: Readonly<Record<string, string>> = {
  InvalidSymbol: "Not a JSON value. Texts must be in double quotes",
  InvalidNumberFormat: "Not a valid JSON number",
  PropertyNameExpected: "Expected a key in double quotes",
  ValueExpected: "Expected a value",
  ColonExpected: 'Expected ":" after the key',
  CommaExpected: 'Expected "," before this',
  CloseBraceExpected: 'Expected "}" before this',
  CloseBracketExpected: 'Expected "]" before this',
  EndOfFileExpected: "Unexpected text after the JSON value",
  InvalidCommentToken: "JSON does not support comments",
  UnexpectedEndOfComment: "The comment is not closed, and JSON does not support comments",
  UnexpectedEndOfString: "The text is not closed on its line",
  UnexpectedEndOfNumber: "Incomplete number",
  InvalidUnicode: "Invalid Unicode escape",
  InvalidEscapeCharacter: "Invalid escape",
  InvalidCharacter: "A control character must be escaped in a text",
};

type Place = Required<Pick<Finding, "line" | "column">>;

const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** The first syntax error, with line and column, which JSON.parse does not provide. */
const jsonError = (file: string, text: string): Finding | undefined => {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return createFinding("syntax", file, { text: "The JSON is nested too deeply" });
  }
  const [first] = errors;
  if (!first) return undefined;
  const comma = /[}\]]/.test(text.charAt(first.offset)) ? /,\s*$/.exec(text.slice(0, first.offset)) : null;
  const repair = jsonRepair(text);
  const message = JSON_ERRORS[printParseErrorCode(first.error)] ?? "The file is not JSON";
  return createFinding(
    "syntax",
    file,
    { text: comma ? "JSON does not support trailing commas" : message },
    { ...placeAt(text, comma?.index ?? first.offset), ...(repair && { fix: repair }) },
  );
};

/** Parses JSON text. A syntax error becomes a finding with its line. */
export function parseAppJson(file: string, rawText: string): JsonRead {
  const text = withoutByteOrderMark(rawText);
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value))
      return { findings: [createFinding("syntax", file, { text: "The JSON is nested too deeply" })] };
    return { value: withoutSchema(value) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "The file is not JSON";
    return { findings: [jsonError(file, text) ?? createFinding("syntax", file, { text: message })] };
  }
}

/** Maximum number of members of one object, or entries of one list, of an app's JSON file: functions, events, templates, parameters, choices. */
export const JSON_MEMBERS_MAX = 5_000;
/** Maximum number of values of an app's JSON file. */
const JSON_VALUES_MAX = 20_000;

/** Checks the number of values before anything else is checked: the time of further checks grows with it. */
export const jsonCountFinding = (file: string, value: unknown): Finding | undefined => {
  let values = 0;
  const pending: (readonly [place: string, value: unknown])[] = [["The file", value]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [place, holder] = next;
    if (typeof holder !== "object" || holder === null) continue;
    const members = Object.entries(holder);
    values += members.length;
    const [most, count, where] =
      members.length > JSON_MEMBERS_MAX
        ? [JSON_MEMBERS_MAX, members.length, place]
        : [JSON_VALUES_MAX, values, "The file"];
    if (count > most)
      return createFinding("json-count", file, { place: where, count: String(count), most: String(most) });
    for (const [name, member] of members) pending.push([`'${name}'`, member]);
  }
  return undefined;
};

/** Path of a misfit, converted from its JSON pointer. */
export const misfitPath = ({ pointer }: SchemaError): JsonPath =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Message of a schema violation, with the names of the members concerned. */
export const misfitMessage = ({ message, properties }: SchemaError): string =>
  properties.every((name) => message.includes(name)) ? message : `${message} ${properties.join(", ")}`;

/** The member of an object, or the entry of a list. */
export const memberAt = (node: Node, name: string): Node | undefined =>
  findNodeAtLocation(node, [node.type === "array" ? Number(name) : name]);

/** The innermost existing node of the path. A missing member is reported at the object to which it belongs. */
const nodeAt = (tree: Node, path: JsonPath): Node => {
  let node = tree;
  for (const name of path) {
    const member = memberAt(node, name);
    if (!member) break;
    node = member;
  }
  // The position of a member is that of its key.
  return node.parent?.type === "property" ? node.parent : node;
};

/** Range of a member or an entry with the preceding comma, or the following comma of a first entry. */
export const memberRange = (member: Node): readonly [start: number, end: number] => {
  const siblings = member.parent?.children ?? [];
  const place = siblings.indexOf(member);
  const [previous, next] = [siblings[place - 1], siblings[place + 1]];
  const start = previous ? previous.offset + previous.length : member.offset;
  return [start, !previous && next ? next.offset : member.offset + member.length];
};

/** The range of an earlier member of several members with the same key, up to its successor: the last member is never such an earlier member. */
const earlierMemberRange = (member: Node): readonly [start: number, end: number] => {
  const siblings = member.parent?.children ?? [];
  return [member.offset, siblings[siblings.indexOf(member) + 1]?.offset ?? member.offset];
};

const duplicatesIn = (file: string, text: string, node: Node): FindingWithPath[] => {
  const own = (node.type === "object" ? (node.children ?? []) : []).flatMap((member) => {
    const [key] = member.children ?? [];
    return key ? [{ member, key, name: String(key.value) }] : [];
  });
  const seen = new Map<string, Node>();
  const duplicates = own.flatMap(({ member, key, name }) => {
    const earlier = seen.get(name);
    seen.set(name, member);
    if (!earlier) return [];
    // Only the last value is used.
    const [start, end] = earlierMemberRange(earlier);
    const fix = [{ kind: "replace", start, end, text: "" }] as const;
    return [createFinding("json-twice", file, { key: name }, { ...placeAt(text, key.offset), fix })];
  });
  return [...duplicates, ...(node.children ?? []).flatMap((child) => duplicatesIn(file, text, child))];
};

/** Findings for keys that occur more than once in an object. */
export const duplicateKeys = (file: string, text: string): FindingWithPath[] => {
  const own = withoutByteOrderMark(text);
  const tree = parseTree(own);
  return tree ? duplicatesIn(file, own, tree) : [];
};

/** Adds line and column to findings that have a path. @shape texts: JSON files by name */
export const withJsonPositions = (
  findings: readonly FindingWithPath[],
  texts: ReadonlyMap<string, string>,
): Finding[] => {
  const trees = new Map([...texts].map(([file, text]) => [file, parseTree(text)]));
  return findings.map(({ at, ...finding }) => {
    const tree = trees.get(finding.file);
    if (!at || !tree || finding.line !== undefined) return finding;
    return { ...finding, ...placeAt(texts.get(finding.file) ?? "", nodeAt(tree, at).offset) };
  });
};
