import { parseTree, type Node } from "jsonc-parser";
import { readAppFileText } from "../files/app-file.ts";
import type { Finding, JsonEdit, JsonPath } from "../model/finding.ts";
import { memberAt } from "./json-positions.ts";

/** A JSON file of an app, as it is and as it would be with the fixes of its findings. */
export interface FixedFile {
  /** From the app's folder, with `/`. */
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

const withEdit = (text: string, edit: JsonEdit): string => {
  const node = nodeAt(text, edit.at);
  if (!node) return text;
  if (edit.kind === "set") return replaced(text, node, edit.value);
  if (edit.kind === "rename") {
    const [name] = node.parent?.children ?? [];
    return name ? replaced(text, name, edit.name) : text;
  }
  // Its comma goes with it: the one before it, or, of a first member, the one after it.
  const member = node.parent?.type === "property" ? node.parent : node;
  const siblings = member.parent?.children ?? [];
  const place = siblings.indexOf(member);
  const [previous, next] = [siblings[place - 1], siblings[place + 1]];
  const start = previous ? previous.offset + previous.length : member.offset;
  const end = !previous && next ? next.offset : member.offset + member.length;
  return text.slice(0, start) + text.slice(end);
};

/** Later entries of a list are removed before earlier ones, names change last: no edit moves the place of one that follows. */
const ORDER = { set: 0, remove: 1, rename: 2 } as const;
const inOrder = (one: JsonEdit, other: JsonEdit): number =>
  ORDER[one.kind] - ORDER[other.kind] || Number(other.at.at(-1)) - Number(one.at.at(-1)) || 0;

/** What the fixes of the findings make of the app's files. Nothing is written. */
export async function applyFixes(folder: string, findings: readonly Finding[]): Promise<FixedFile[]> {
  const files = [...new Set(findings.filter(({ fix }) => fix).map(({ file }) => file))];
  const fixed = await Promise.all(
    files.map(async (file) => {
      const before = (await readAppFileText(folder, file)) ?? "";
      const mark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
      const edits = findings.flatMap((finding) => (finding.file === file ? (finding.fix ?? []) : [])).sort(inOrder);
      return { file, before, after: mark + edits.reduce(withEdit, before.slice(mark.length)) };
    }),
  );
  return fixed.filter(({ before, after }) => before !== after);
}
