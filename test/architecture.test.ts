import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { isBuiltin } from "node:module";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Source {
  /** Path from the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

const walk = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", "fixtures"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });

const read = (folder: string, ending: RegExp): Source[] =>
  walk(join(ROOT, folder))
    .filter((path) => ending.test(path))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, "utf8") }));

const PACKAGES = readdirSync(join(ROOT, "packages"));
const all = ["packages", "server", "config", "app", "test"].flatMap((folder) => read(folder, /\.ts$/));
const sources = all.filter(({ path }) => !/(^|\/)test\//.test(path));
const tests = all.filter(({ path }) => /\.test\.ts$/.test(path));

/** Removes comments, which may contain SQL words and restricted names. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");

/** Specifiers of all imports and re-exports, types included. */
const importsOf = ({ text }: Source): string[] =>
  [...codeOf(text).matchAll(/(?:from\s+|import\s*\(\s*|import\s+)"([^"]+)"/g)].map(([, specifier]) => specifier ?? "");

/** The package's name, or `app` for the root. */
const packageOf = (path: string) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? "app";

/** Permitted imports between packages. */
const PERMITTED_IMPORTS: Record<string, readonly string[]> = {
  contract: [],
  database: [],
  egress: [],
  ingress: [],
  client: ["contract"],
  service: ["contract", "database", "egress", "ingress"],
  framework: ["contract", "database", "egress", "ingress"],
  parley: ["client", "contract", "database", "framework", "ingress", "service"],
  app: ["contract", "framework"],
};

/** Permitted third-party imports of the two packages that must run outside Node. */
const PERMITTED_PACKAGES: Record<string, readonly string[]> = { contract: ["typebox"], client: ["axios"] };

test("every package has a list of permitted imports, and every list a package", () => {
  expect(Object.keys(PERMITTED_IMPORTS).sort()).toEqual([...PACKAGES, "app"].sort());
});

describe("imports follow the permitted dependencies between packages", () => {
  test.each(sources.map((source) => [source.path, source] as const))("%s", (path, source) => {
    const packageName = packageOf(path);
    for (const specifier of importsOf(source)) {
      const target = /^@parley\/([^/]+)/.exec(specifier)?.[1];
      if (target) expect([packageName, ...(PERMITTED_IMPORTS[packageName] ?? [])]).toContain(target);
      if (specifier.startsWith(".")) expect(packageOf(normalize(join(dirname(path), specifier)))).toBe(packageName);
      else if (!target && PERMITTED_PACKAGES[packageName] && !isBuiltin(specifier))
        expect(PERMITTED_PACKAGES[packageName]).toContain(specifier.split("/")[0]);
      if (packageName === "contract") expect(isBuiltin(specifier)).toBe(false);
    }
  });
});

test("no modules import each other in a cycle, types included", () => {
  const edges = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => normalize(join(dirname(source.path), specifier))),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, ancestors: readonly string[]) => {
    if (ancestors.includes(path))
      return void cycles.push([...ancestors.slice(ancestors.indexOf(path)), path].join(" → "));
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...ancestors, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  expect(cycles).toEqual([]);
});

test("no folders import each other in a cycle", () => {
  const edges = new Map<string, Map<string, string>>();
  for (const source of sources)
    for (const specifier of importsOf(source).filter((each) => each.startsWith("."))) {
      const target = normalize(join(dirname(source.path), specifier));
      const [from, to] = [dirname(source.path), dirname(target)];
      if (from === to) continue;
      const targets = edges.get(from) ?? new Map<string, string>();
      targets.set(to, `${source.path} imports ${target}`);
      edges.set(from, targets);
    }
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (folder: string, ancestors: readonly string[]) => {
    if (ancestors.includes(folder)) {
      const cycle = [...ancestors.slice(ancestors.indexOf(folder)), folder];
      return void cycles.push(cycle.slice(1).map((next, index) => edges.get(cycle[index] ?? "")?.get(next) ?? ""));
    }
    if (done.has(folder)) return;
    for (const next of edges.get(folder)?.keys() ?? []) visit(next, [...ancestors, folder]);
    done.add(folder);
  };
  for (const folder of edges.keys()) visit(folder, []);
  expect(cycles).toEqual([]);
});

const SQL =
  /["'`]\s*(?:select\s[\s\S]*?\sfrom\s|select\s+\w+\s*\(|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table|index|schema)\s|with\s+\w+\s+as\s)/i;

test("SQL occurs only in store.ts and .sql.ts files, under db/ and in the database package", () => {
  const elsewhere = sources.filter(
    ({ path, text }) =>
      !/(^|\/)store\.ts$|\.sql\.ts$|\/db\/|^packages\/database\//.test(path) && SQL.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test("process.env is read only in config.ts files", () => {
  const elsewhere = sources.filter(
    ({ path, text }) => !/(^|\/)config\.ts$/.test(path) && /process\.env/.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test("clock, randomness and ids are used only in ports.ts", () => {
  const pattern = /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\(|getRandomValues\(/;
  const elsewhere = sources.filter(({ path, text }) => !/(^|\/)ports\.ts$/.test(path) && pattern.test(codeOf(text)));
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test("a source file has at most 300 lines", () => {
  const longFiles = all.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path);
  expect(longFiles).toEqual([]);
});

/** Titles of all tests: first arguments of test, it and describe, and the strings of their tables. */
const titles = tests.flatMap(({ text }) =>
  [...text.matchAll(/(["'`])((?:GET|POST|PUT|PATCH|DELETE) \/[\s\S]*?)\1/g)].map(([, , title]) => title ?? ""),
);
const { admin, transfer, worldEndpoints: world } = contract;
const rows = [...contract.rowsOf(), ...contract.rowsOf({ admin, transfer, world })];

describe("test titles name every endpoint with its success and each of its own problems", () => {
  test.each(rows.map(({ row }) => [row.route, row] as const))("%s", (route, row) => {
    const own = titles.filter((title) => title === route || title.startsWith(`${route} `));
    expect(own.filter((title) => title.includes(String(row.reply.code))).length).toBeGreaterThan(0);
    for (const { status } of row.problems ?? []) expect(own.filter((title) => title.includes(status))).not.toEqual([]);
  });
});

const isProblem = (value: unknown): value is contract.Problem =>
  typeof value === "object" && value !== null && "status" in value && "code" in value && "message" in value;
const exported: Record<string, unknown> = { ...contract };
const problems = Object.entries(exported).flatMap(([name, value]) =>
  isProblem(value) ? [{ name, problem: value }] : [],
);

test("a problem's status equals its exported name and is unique", () => {
  for (const { name, problem } of problems) expect(problem.status).toBe(name);
  expect(new Set(problems.map(({ problem }) => problem.status)).size).toBe(problems.length);
});

test("the service uses every problem", () => {
  const service = sources
    .filter(({ path }) => /^packages\/(service\/src|parley\/src\/world)\//.test(path))
    .map(({ text }) => codeOf(text).replace(/import[\s\S]*?from "[^"]+";/g, ""));
  const unused = problems.filter(({ name }) => !service.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

test("docs/integrators/openapi.json and docs/contributors/assumptions.md equal the generated ones", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/docs.mjs"), "--check"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("docs/contributors/assumptions.md contains every source with @assumed", () => {
  const printed = readFileSync(join(ROOT, "docs/contributors/assumptions.md"), "utf8");
  const marking = sources.filter(({ text }) => /^\s*(?:\/\*\*|\*) .*@assumed/m.test(text)).map(({ path }) => path);
  expect(marking.filter((path) => !printed.includes(`| ${path} |`))).toEqual([]);
});

test("the map in docs/contributors/architecture.md names every package", () => {
  const readme = readFileSync(join(ROOT, "docs/contributors/architecture.md"), "utf8");
  for (const name of PACKAGES) expect(readme).toContain(`packages/${name}`);
});

test("package-lock.json contains no registry address and no resolved URL", () => {
  expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "http/);
});
