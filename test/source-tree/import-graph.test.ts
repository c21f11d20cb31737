import { expect, test } from "@jest/globals";
import { cyclesOf, firstLevelFolder, floorsOf, importGraph, pairsOf, structuresOf } from "./import-graph.ts";

/** @shape files: by path below `packages/x/src/`, the specifiers that a file imports */
const sourcesOf = (files: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(files).map(([path, imports]) => ({
    path: `packages/x/src/${path}`,
    text: imports.map((specifier) => `import "${specifier}";\n`).join(""),
  }));

const ACYCLIC = {
  "index.ts": ["./state/store.ts", "./page/page.ts"],
  "page/page.ts": ["../state/store.ts", "../model/app/values.ts"],
  "state/store.ts": ["../model/app/values.ts", "node:fs"],
  "model/app/values.ts": [],
};

test("a folder is one floor above the highest folder that it imports, and files outside of folders are on no floor", () => {
  const [structure] = structuresOf(sourcesOf(ACYCLIC));
  expect(structure).toMatchObject({ name: "x", floors: 3, pairs: [], cycles: [], files: 4, lines: 6 });
  expect(structure?.folders).toEqual([
    { name: "model", floor: 1, imports: [] },
    { name: "state", floor: 2, imports: ["model"] },
    { name: "page", floor: 3, imports: ["model", "state"] },
  ]);
});

test("two folders that import each other are a pair, with the number of imports in each direction", () => {
  const sources = sourcesOf({ ...ACYCLIC, "model/load.ts": ["../state/store.ts", "../state/other.ts"] });
  expect(pairsOf(importGraph(sources, firstLevelFolder))).toEqual(["model ⇄ state 2/1"]);
});

test("a cycle by way of a third folder is found although no two folders import each other", () => {
  const sources = sourcesOf({ "a/a.ts": ["../b/b.ts"], "b/b.ts": ["../c/c.ts"], "c/deep/c.ts": ["../../a/a.ts"] });
  const graph = importGraph(sources, firstLevelFolder);
  expect(pairsOf(graph)).toEqual([]);
  expect(cyclesOf(graph)).toEqual([
    [
      "packages/x/src/a/a.ts imports packages/x/src/b/b.ts",
      "packages/x/src/b/b.ts imports packages/x/src/c/c.ts",
      "packages/x/src/c/deep/c.ts imports packages/x/src/a/a.ts",
    ],
  ]);
  expect([...floorsOf(graph, graph.keys()).values()]).toContain(3);
});
