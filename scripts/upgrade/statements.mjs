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

/**
 * Statements that a function builds, such as lists with filters, are not among them.
 * @shape tree: folder of a clone with its libraries -> texts, sorted
 */
export const statementsOf = async (tree) => {
  const files = PACKAGES.flatMap((name) => filesBelow(join(tree, "packages", name, "src"))).filter(
    (path) => path.endsWith(".ts") && /\bstatement\(/.test(readFileSync(path, "utf8")),
  );
  // Below the tree, so that libraries are found from there.
  const folder = mkdtempSync(join(tree, "node_modules", ".parley-statements-"));
  try {
    const outfile = join(folder, "statements.mjs");
    await build({
      stdin: { contents: files.map((path) => `import ${JSON.stringify(path)};`).join("\n"), resolveDir: tree },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["parley-source"],
      logLevel: "error",
      plugins: [recording(tree)],
    });
    await import(pathToFileURL(outfile).href);
    return [...(globalThis.recordedStatements ?? [])].sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
