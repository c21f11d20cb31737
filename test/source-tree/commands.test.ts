import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { codeOf, readSources, readTests, ROOT } from "./sources.ts";

const commands = [
  ...readFileSync(join(ROOT, "packages/parley/src/main.ts"), "utf8").matchAll(/^ {2}"?([\w-]+)"?: async \(\) =>/gm),
].map(([, name]) => name ?? "");

test("docs/operators/commands.md names every command", () => {
  const page = readFileSync(join(ROOT, "docs/operators/commands.md"), "utf8");
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((name) => !new RegExp(`\\b${name}\\b[^|]*\\|`).test(page))).toEqual([]);
});

test("messages and examples call a command as `npx parley`, which reaches the installed command", () => {
  const names = commands.join("|");
  const bare = new RegExp(`(?<!npx )(?<!applicationName: ")\\bparley (?:${names})\\b.*`, "g");
  const found = readSources().flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(bare)].map(([words]) => `${path}: ${words}`),
  );
  expect(found).toEqual([]);
});

test("every command is called by a test", () => {
  // A call passes its words as an array.
  const words = readTests()
    .filter(({ path }) => /^(packages\/parley\/)?test\/.*\.test\.ts$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\[\s*"([\w-]+)"/g)].map(([, word]) => word));
  expect(commands.filter((name) => !words.includes(name))).toEqual([]);
});
