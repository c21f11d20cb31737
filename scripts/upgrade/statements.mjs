/** The SQL statements of a tree, as its modules create them when they are loaded. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Packages with statements on tables that releases share. */
const PACKAGES = ["service", "framework", "parley"];

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });

/** Records each statement beside creating it. */
const recorder = (tree) => {
  const path = join(tree, "packages/database/src/index.ts");
  return `
    import { statement as create } from ${JSON.stringify(path)};
    export * from ${JSON.stringify(path)};
    export const statement = (name, text) => {
      (globalThis.recordedStatements ??= new Set()).add(text);
      return create(name, text);
    };`;
};

const recording = (tree) => ({
  name: "recording",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@parley\/database$/ }, () => ({ path: "database", namespace: "recorder" }));
    onLoad({ filter: /.*/, namespace: "recorder" }, () => ({ contents: recorder(tree), resolveDir: tree }));
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith("@parley/") ? undefined : { path, external: true }));
  },
});

/** Bundles code of a tree, and loads it. -> what the code exports */
const load = async (tree, contents) => {
  // Below the tree, so that libraries are found from there.
  const folder = mkdtempSync(join(tree, "node_modules", ".parley-statements-"));
  try {
    const outfile = join(folder, "statements.mjs");
    await build({
      stdin: { contents, resolveDir: tree },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["parley-source"],
      logLevel: "error",
      plugins: [recording(tree)],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Statements that a function builds, such as lists with filters, are not among them.
 * @shape tree: folder of a clone with its libraries -> texts, sorted
 */
export const statementsOf = async (tree) => {
  const files = PACKAGES.flatMap((name) => filesBelow(join(tree, "packages", name, "src"))).filter(
    (path) => path.endsWith(".ts") && /\bstatement\(/.test(readFileSync(path, "utf8")),
  );
  await load(tree, files.map((path) => `import ${JSON.stringify(path)};`).join("\n"));
  return [...(globalThis.recordedStatements ?? [])].sort();
};

/** -> version of a tree, and its newest migration by schema */
export const releaseOf = async (tree) => {
  const exports = await load(
    tree,
    `export { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./packages/service/src/operation.ts";
     export { APP_MIGRATIONS, APP_SCHEMA } from "./packages/framework/src/operation.ts";`,
  );
  const { version } = JSON.parse(readFileSync(join(tree, "packages/parley/package.json"), "utf8"));
  const migrations = {
    [exports.SERVICE_SCHEMA]: exports.SERVICE_MIGRATIONS.at(-1).id,
    [exports.APP_SCHEMA]: exports.APP_MIGRATIONS.at(-1).id,
  };
  return { version, migrations };
};
