import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "@jest/globals";
import { cyclesOf, importGraph, structuresOf } from "./import-graph.ts";
import { importsOf, packageOf, readSources, readTests, ROOT } from "./sources.ts";

const PACKAGES = readdirSync(join(ROOT, "packages"));
const sources = readSources();

/** The packages that each package may import, `app` at the root included. */
const ALLOWED_IMPORTS = JSON.parse(readFileSync(join(ROOT, "scripts/allowed-imports.json"), "utf8")) as Record<
  string,
  readonly string[]
>;

/** The only libraries of the two packages that run in every environment. */
const ALLOWED_LIBRARIES: Record<string, readonly string[]> = { contract: ["typebox"], client: ["axios"] };

test("the table of allowed imports lists every package, and no other", () => {
  expect(Object.keys(ALLOWED_IMPORTS).sort()).toEqual([...PACKAGES, "app"].sort());
});

const isAllowed = (path: string, specifier: string): boolean => {
  const owner = packageOf(path);
  const target = /^@parley\/([^/]+)/.exec(specifier)?.[1];
  if (target) return target === owner || (ALLOWED_IMPORTS[owner] ?? []).includes(target);
  if (specifier.startsWith(".")) return packageOf(normalize(join(dirname(path), specifier))) === owner;
  if (isBuiltin(specifier)) return owner !== "contract";
  const libraries = ALLOWED_LIBRARIES[owner];
  return !libraries || libraries.includes(specifier.split("/")[0] ?? "");
};

test("every import is one that the table allows its package", () => {
  const offenders = sources.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => !isAllowed(source.path, specifier))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );
  expect(offenders).toEqual([]);
});

test("files form no import cycle, types included", () => {
  expect(cyclesOf(importGraph(sources))).toEqual([]);
});

test("folders form no import cycle", () => {
  expect(cyclesOf(importGraph(sources, dirname))).toEqual([]);
});

test.each(structuresOf(sources))("the first-level folders of $name form no import cycle", ({ cycles }) => {
  expect(cycles).toEqual([]);
});

test("a source file has at most 300 lines", () => {
  const long = [...sources, ...readTests()].filter(({ text }) => text.split("\n").length > 301);
  expect(long.map(({ path }) => path)).toEqual([]);
});

/** A number or a text that a module declares. Computed values, tables and functions are no offenders here. */
const CONSTANT = /^(?:export )?const (\w+) = (?:-?\d[\d_.]*(?: (?:\*\*?|[-+/]) [\w.]+)*|"[^"\n]*");$/gm;
const CONSTANT_NAME = /^(?!MAX_|MIN_)[A-Z][A-Z0-9_]*$/;

test("constants of modules are in upper case, bounds end with _MAX or _MIN, and each has its own declaration", () => {
  const offenders = sources.flatMap(({ path, text }) => [
    ...[...text.matchAll(CONSTANT)].flatMap(([, name = ""]) => (CONSTANT_NAME.test(name) ? [] : `${path}: ${name}`)),
    ...[...text.matchAll(/^(?:export )?const \[.*\] = \[/gm)].map(([line]) => `${path}: ${line}`),
  ]);
  expect(offenders).toEqual([]);
});

test("docs/contributors/architecture.md names every package", () => {
  const readme = readFileSync(join(ROOT, "docs/contributors/architecture.md"), "utf8");
  for (const name of PACKAGES) expect(readme).toContain(`packages/${name}`);
});
