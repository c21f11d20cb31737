/** `node scripts/structure.mjs`: prints the counts by which the architecture test judges the folders of each package. */
import { register } from "node:module";
import { resolve } from "node:path";
import { ensureInstalled, root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(`node scripts/structure.mjs [--folders] [--json] [<folder of a repository>]: for each package, and for the app at the root,
the folders directly below src/, their floors, the pairs of folders that import each other, and the files and lines.

A folder that imports no other one of its package is on floor 1, each other folder one above the highest floor that it imports.
Files directly below src/ belong to no folder.

  --folders   also each folder with its floor and what it imports
  --json      the same as JSON`);
  process.exit(0);
}

ensureInstalled();
register("../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
const { structuresOf } = await import("../test/source-tree/import-graph.ts");
const { readSources } = await import("../test/source-tree/sources.ts");

const words = process.argv.slice(2);
const folder = words.find((word) => !word.startsWith("--"));
const structures = structuresOf(readSources(folder === undefined ? root : resolve(folder)));

if (words.includes("--json")) console.log(JSON.stringify(structures, undefined, 2));
else {
  const rows = [
    ["package", "folders", "floors", "two-way pairs", "files", "lines"],
    ...structures.map(({ name, folders, floors, pairs, files, lines }) =>
      [name, folders.length, floors, pairs.length, files, lines].map(String),
    ),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const [name, ...counts] of rows)
    console.log(
      [name.padEnd(widths[0]), ...counts.map((count, column) => count.padStart(widths[column + 1]))].join("  "),
    );
  for (const { name, folders, pairs } of structures) {
    for (const pair of pairs) console.log(`${name}: ${pair}`);
    if (words.includes("--folders"))
      for (const { name: own, floor, imports } of folders)
        console.log(`${name}: ${floor} ${own}${imports.length > 0 ? ` -> ${imports.join(", ")}` : ""}`);
  }
}
