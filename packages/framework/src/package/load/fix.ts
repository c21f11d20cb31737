import { parseTree, type Node } from "jsonc-parser";
import { readAppFileText } from "../files/app-file.ts";
import type { Finding, JsonEdit, JsonPath } from "../../model/finding.ts";
import { memberAt, memberRange } from "../../model/json.ts";
import { withReplacements } from "../../model/json-repair.ts";

/** A JSON file of an app before and after the fixes of its findings. */
export interface FixedFile {
  /** Path from the app's folder, with `/`. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const BYTE_ORDER_MARK = "\uFEFF";

const nodeAt = (text: string, path: JsonPath): Node | undefined => {
  let node = parseTree(text);
  for (const name of path) node = node && memberAt(node, name);
  return node;
};

const replaced = (text: string, { offset, length }: Node, value: unknown): string =>
  text.slice(0, offset) + JSON.stringify(value) + text.slice(offset + length);

/** Removes a member or an entry with the preceding comma, or the following comma of a first entry. */
const removed = (text: string, node: Node): string => {
  const member = node.parent?.type === "property" ? node.parent : node;
  const [start, end] = memberRange(member);
  return text.slice(0, start) + text.slice(end);
};

/** Adds a member after the last member, on a line of its own if the others are. */
const inserted = (text: string, object: Node, name: string, value: string): string => {
  const last = object.children?.at(-1);
  if (!last) return text;
  const end = last.offset + last.length;
  const indent = /\n[ \t]*$/.exec(text.slice(0, last.offset))?.[0] ?? " ";
  return `${text.slice(0, end)},${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}${text.slice(end)}`;
};

type PathEdit = Exclude<JsonEdit, { kind: "replace" }>;

const withEdit = (text: string, edit: PathEdit): string => {
  if (edit.kind === "insert") {
    const object = nodeAt(text, edit.at.slice(0, -1));
    const name = edit.at.at(-1) ?? "";
    return object && !nodeAt(text, edit.at) ? inserted(text, object, name, edit.value) : text;
  }
  const node = nodeAt(text, edit.at);
  if (!node) return text;
  const { offset, length } = node;
  const own = text.slice(offset, offset + length);
  if (edit.kind === "set") return replaced(text, node, edit.value);
  if (edit.kind === "quote") return node.type === "string" ? text : replaced(text, node, own);
  if (edit.kind === "wrap")
    return node.type === "array" ? text : `${text.slice(0, offset)}[${own}]${text.slice(offset + length)}`;
  if (edit.kind !== "rename") return removed(text, node);
  const [name] = node.parent?.children ?? [];
  return name ? replaced(text, name, edit.name) : text;
};

/**
 * Order in which no edit invalidates the path of a later edit: entries of a list are removed from the last to the first, renames come
 * last, and those of members before those of the objects that contain them.
 */
const EDIT_ORDER = { set: 0, quote: 0, wrap: 1, insert: 2, remove: 3, rename: 4 } as const;
const compareEdits = (one: PathEdit, other: PathEdit): number =>
  EDIT_ORDER[one.kind] - EDIT_ORDER[other.kind] ||
  (one.kind === "rename" ? other.at.length - one.at.length : Number(other.at.at(-1)) - Number(one.at.at(-1))) ||
  0;

const withEdits = (text: string, edits: readonly JsonEdit[]): string => {
  const replacements = edits.filter((edit) => edit.kind === "replace");
  const others = edits.filter((edit) => edit.kind !== "replace").sort(compareEdits);
  return others.reduce(withEdit, withReplacements(text, replacements));
};

/** Applies the fixes of the findings in memory. */
export async function applyFixes(folder: string, findings: readonly Finding[]): Promise<FixedFile[]> {
  const files = [...new Set(findings.filter(({ fix }) => fix).map(({ file }) => file))];
  const fixed = await Promise.all(
    files.map(async (file) => {
      const before = (await readAppFileText(folder, file)) ?? "";
      const byteOrderMark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
      const edits = findings.flatMap((finding) => (finding.file === file ? (finding.fix ?? []) : []));
      return { file, before, after: byteOrderMark + withEdits(before.slice(byteOrderMark.length), edits) };
    }),
  );
  return fixed.filter(({ before, after }) => before !== after);
}
