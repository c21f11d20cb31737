import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import type { Finding, FindingWithPath, JsonPath } from "../model/finding.ts";
import { createFinding } from "../model/rules.ts";

type Place = Required<Pick<Finding, "line" | "column">>;

const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

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

const duplicatesIn = (file: string, text: string, node: Node): FindingWithPath[] => {
  const own = (node.type === "object" ? (node.children ?? []) : []).flatMap(({ children: [key] = [] }) => key ?? []);
  const seen = new Set<unknown>();
  const duplicates = own.filter(({ value }) => seen.has(value) || !seen.add(value));
  return [
    ...duplicates.map((key) =>
      createFinding("json-twice", file, { key: String(key.value) }, placeAt(text, key.offset)),
    ),
    ...(node.children ?? []).flatMap((child) => duplicatesIn(file, text, child)),
  ];
};

/** Findings for keys that occur more than once in an object. */
export const duplicateKeys = (file: string, text: string): FindingWithPath[] => {
  const tree = parseTree(text);
  return tree ? duplicatesIn(file, text, tree) : [];
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
