import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { isBuiltin } from "node:module";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Source {
  /** From the root, with `/`. */
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
const all = ["packages", "server", "config", "app", "test"].flatMap((folder) => read(folder, /\.tsx?$/));
const sources = all.filter(({ path }) => !/(^|\/)test\/|\/vite\.config\.ts$/.test(path));
const tests = all.filter(({ path }) => /\.test\.ts$/.test(path));

/** The rules look at code: comments contain SQL words and names too. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");

/** Specifiers of all imports and exports-from, types included. */
const importsOf = ({ text }: Source): string[] =>
  [...codeOf(text).matchAll(/(?:from\s+|import\s*\(\s*|import\s+)"([^"]+)"/g)].map(([, specifier]) => specifier ?? "");

/** A package's folder name, or `app` for the root. */
const packageOf = (path: string) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? "app";

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

/** -> each cycle as the steps from a node back to itself @shape edges: by node, the nodes that it imports, each with a description */
const cyclesOf = (edges: ReadonlyMap<string, ReadonlyMap<string, string>>): string[][] => {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, path: readonly string[]) => {
    if (path.includes(node)) {
      const cycle = [...path.slice(path.indexOf(node)), node];
      return void cycles.push(cycle.slice(1).map((next, index) => edges.get(cycle[index] ?? "")?.get(next) ?? ""));
    }
    if (done.has(node)) return;
    for (const next of edges.get(node)?.keys() ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return cycles;
};

/** Relative imports between nodes. @shape nodeOf: the node of a file's path */
const importGraph = (nodeOf: (path: string) => string) => {
  const edges = new Map<string, Map<string, string>>();
  for (const source of sources)
    for (const specifier of importsOf(source).filter((each) => each.startsWith("."))) {
      const target = normalize(join(dirname(source.path), specifier));
      const [from, to] = [nodeOf(source.path), nodeOf(target)];
      if (from === to) continue;
      const targets = edges.get(from) ?? new Map<string, string>();
      targets.set(to, `${source.path} imports ${target}`);
      edges.set(from, targets);
    }
  return edges;
};

test("files form no import cycle, types included", () => {
  expect(cyclesOf(importGraph((path) => path))).toEqual([]);
});

test("folders form no import cycle", () => {
  expect(cyclesOf(importGraph(dirname))).toEqual([]);
});

const SQL =
  /["'`]\s*(?:select\s[\s\S]*?\sfrom\s|select\s+\w+\s*\(|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table|index|schema)\s|with\s+\w+\s+as\s)/i;

test("SQL is in store.ts and .sql.ts files, under db/ and in the database package only", () => {
  const elsewhere = sources.filter(
    ({ path, text }) =>
      !/(^|\/)store\.ts$|\.sql\.ts$|\/db\/|^packages\/database\//.test(path) && SQL.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test("process.env is read in config.ts files only", () => {
  const elsewhere = sources.filter(
    ({ path, text }) => !/(^|\/)config\.ts$/.test(path) && /process\.env/.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

/** -> the folders that may write each table, read from the rows of packages/service/src/base/db/tables.ts */
const serviceTables = (): Map<string, readonly string[]> => {
  const text = sources.find(({ path }) => path === "packages/service/src/base/db/tables.ts")?.text ?? "";
  const rows = [...text.matchAll(/^ {2}(\w+): row\((\[[^\]]*\]|"[^"]*")/gm)];
  return new Map(
    rows.map(([, name = "", folders = "[]"]) => [name, [JSON.parse(folders) as string | string[]].flat()]),
  );
};

test("SQL that writes a table of the service is in the folder of the table's owner", () => {
  const tables = serviceTables();
  const owners = [...new Set([...tables.values()].flat())];
  /** The owner that contains a file, or the file's own folder. */
  const folderOf = (path: string) => {
    const folder = dirname(relative("packages/service/src", path));
    return owners.find((owner) => folder === owner || folder.startsWith(`${owner}/`)) ?? folder;
  };
  const own = sources.filter(({ path }) => path.startsWith("packages/service/src/"));
  const writers = new Map<string, Set<string>>();
  for (const { path, text } of own.filter(({ path: each }) => !each.includes("/migrations/")))
    for (const [, name = ""] of codeOf(text).matchAll(/(?:insert into|delete from|update)\s+"?(\w+)/g))
      if (tables.has(name)) writers.set(name, (writers.get(name) ?? new Set()).add(folderOf(path)));
  expect(writers.size).toBeGreaterThan(20);
  const offenders = [...writers].filter(([name, folders]) =>
    [...folders].some((folder) => !tables.get(name)?.includes(folder)),
  );
  expect(offenders.map(([name, folders]) => `${name}: ${[...folders].join(", ")}`)).toEqual([]);
});

/** Variables that a test run passes to the processes that it starts; users never set them. */
const TEST_VARIABLES = ["PARLEY_BIN", "PARLEY_TEST_CLUSTER", "PARLEY_TEST_DATABASE", "PARLEY_WORLD"];

test("every environment variable is a row of the contract's table and is read by a config.ts file", () => {
  const named = (texts: readonly string[]) =>
    [...new Set(texts.flatMap((text) => text.match(/\b(?:PARLEY_[A-Z\d_]+|DATABASE_URL)\b/g) ?? []))]
      .filter((name) => !TEST_VARIABLES.includes(name))
      .sort();
  const rows = Object.keys(contract.ENVIRONMENT).sort();
  expect(named(sources.map(({ text }) => text))).toEqual(rows);
  const readers = sources.filter(
    ({ path }) => /(^|\/)config\.ts$/.test(path) || path === "packages/database/src/secrets/keyring.ts",
  );
  expect(named(readers.map(({ text }) => text))).toEqual(rows);
});

test("every environment variable is named by a test", () => {
  const text = all.flatMap(({ path, text }) => (/(^|\/)test\//.test(path) ? [text] : [])).join("\n");
  expect(Object.keys(contract.ENVIRONMENT).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

const commands = [
  ...readFileSync(join(ROOT, "packages/parley/src/main.ts"), "utf8").matchAll(/^ {2}"?([\w-]+)"?: async \(\) =>/gm),
].map(([, name]) => name ?? "");

test("docs/operators/commands.md names every command", () => {
  const page = readFileSync(join(ROOT, "docs/operators/commands.md"), "utf8");
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((name) => !new RegExp(`\\b${name}\\b[^|]*\\|`).test(page))).toEqual([]);
});

test("messages and examples call a command as `npx parley`, which reaches the installed one", () => {
  const names = commands.join("|");
  const bare = new RegExp(`(?<!npx )(?<!applicationName: ")\\bparley (?:${names})\\b.*`, "g");
  const found = sources.flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(bare)].map(([words]) => `${path}: ${words}`),
  );
  expect(found).toEqual([]);
});

test("every command is called by a test", () => {
  // A call passes its words as an array.
  const words = tests
    .filter(({ path }) => /^(packages\/parley\/)?test\//.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\[\s*"([\w-]+)"/g)].map(([, word]) => word));
  expect(commands.filter((name) => !words.includes(name))).toEqual([]);
});

test("the clock, randomness and ids are read in ports.ts files only", () => {
  const reads = /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\(|getRandomValues\(/;
  // Pages of the console show times of the device that they run on.
  const elsewhere = sources.filter(
    ({ path, text }) => !/(^|\/)ports\.ts$|^packages\/console\//.test(path) && reads.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test("a source file has at most 300 lines", () => {
  const long = all.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path);
  expect(long).toEqual([]);
});

/** Titles of all tests: first arguments of test, it and describe, and the strings of their tables. */
const titles = tests.flatMap(({ text }) =>
  [...text.matchAll(/(["'`])((?:GET|POST|PUT|PATCH|DELETE) \/[\s\S]*?)\1/g)].map(([, , title]) => title ?? ""),
);
const { admin, transfer, testEnvironment: world } = contract;
const rows = [
  ...contract.rowsOf(),
  ...contract.rowsOf(contract.consoleApi),
  ...contract.rowsOf({ admin, transfer, world, platform: contract.platform }),
];

test("every endpoint is named by a test title with its success and with each of its own problems", () => {
  const untested = rows.flatMap(({ row: { route, reply, problems: own = [] } }) => {
    const named = titles.filter((title) => title === route || title.startsWith(`${route} `));
    const outcomes = [String(reply.code), ...own.map(({ status }) => status)];
    return outcomes
      .filter((outcome) => !named.some((title) => title.includes(outcome)))
      .map((outcome) => `${route} ${outcome}`);
  });
  expect(untested).toEqual([]);
});

const isProblem = (value: unknown): value is contract.Problem =>
  typeof value === "object" && value !== null && "status" in value && "code" in value && "message" in value;
const exported: Record<string, unknown> = { ...contract };
const problems = Object.entries(exported).flatMap(([name, value]) =>
  isProblem(value) ? [{ name, problem: value }] : [],
);

test("the token of every problem is its exported name, and unique", () => {
  expect(problems.filter(({ name, problem }) => problem.status !== name)).toEqual([]);
  expect(new Set(problems.map(({ problem }) => problem.status)).size).toBe(problems.length);
});

test("every problem is an answer of the service or the platform", () => {
  const service = sources
    .filter(({ path }) => /^packages\/((?:service|framework)\/src|parley\/src\/test-environment)\//.test(path))
    .map(({ text }) => codeOf(text).replace(/import[\s\S]*?from "[^"]+";/g, ""));
  const unused = problems.filter(({ name }) => !service.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

test("docs/integrators/openapi.json and docs/contributors/assumptions.md are what the code prints", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/docs.mjs"), "--check"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("the types of the SDK state the data of every product event", () => {
  const types = readFileSync(join(ROOT, "packages/framework/src/sdk/events.d.ts"), "utf8");
  const names = Object.values(contract.PRODUCT_EVENTS).map(({ name }) => name);
  expect(names.filter((name) => !types.includes(`${name}: "`))).toEqual([]);
});

test("every @assumed choice of a source is printed", () => {
  const printed = readFileSync(join(ROOT, "docs/contributors/assumptions.md"), "utf8");
  const marking = sources.filter(({ text }) => /^\s*(?:\/\*\*|\*) .*@assumed/m.test(text)).map(({ path }) => path);
  expect(marking.filter((path) => !printed.includes(`| ${path} |`))).toEqual([]);
});

test("docs/contributors/architecture.md names every package", () => {
  const readme = readFileSync(join(ROOT, "docs/contributors/architecture.md"), "utf8");
  for (const name of PACKAGES) expect(readme).toContain(`packages/${name}`);
});

test("the lockfile contains no address of a registry", () => {
  expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "http/);
});
