import { parseTree, type Node } from "jsonc-parser";
import { readAppFileText } from "../files/app-file.ts";
import type { Finding, JsonEdit, JsonPath } from "../model/finding.ts";
import { memberAt } from "../model/json.ts";

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

const withEdit = (text: string, edit: JsonEdit): string => {
  const node = nodeAt(text, edit.at);
  if (!node) return text;
  if (edit.kind === "set") return replaced(text, node, edit.value);
  if (edit.kind === "rename") {
    const [name] = node.parent?.children ?? [];
    return name ? replaced(text, name, edit.name) : text;
  }
  // Removes the preceding comma too, or the following comma of a first member.
  const member = node.parent?.type === "property" ? node.parent : node;
  const siblings = member.parent?.children ?? [];
  const place = siblings.indexOf(member);
  const [previous, next] = [siblings[place - 1], siblings[place + 1]];
  const start = previous ? previous.offset + previous.length : member.offset;
  const end = !previous && next ? next.offset : member.offset + member.length;
  return text.slice(0, start) + text.slice(end);
};

/** Entries of a list are removed from the last to the first, and renames are applied last, so that no edit invalidates the path of a later one. */
const EDIT_ORDER = { set: 0, remove: 1, rename: 2 } as const;
const compareEdits = (one: JsonEdit, other: JsonEdit): number =>
  EDIT_ORDER[one.kind] - EDIT_ORDER[other.kind] || Number(other.at.at(-1)) - Number(one.at.at(-1)) || 0;

/** Applies the fixes of the findings in memory. */
export async function applyFixes(folder: string, findings: readonly Finding[]): Promise<FixedFile[]> {
  const files = [...new Set(findings.filter(({ fix }) => fix).map(({ file }) => file))];
  const fixed = await Promise.all(
    files.map(async (file) => {
      const before = (await readAppFileText(folder, file)) ?? "";
      const byteOrderMark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
      const edits = findings
        .flatMap((finding) => (finding.file === file ? (finding.fix ?? []) : []))
        .sort(compareEdits);
      return { file, before, after: byteOrderMark + edits.reduce(withEdit, before.slice(byteOrderMark.length)) };
    }),
  );
  return fixed.filter(({ before, after }) => before !== after);
}
