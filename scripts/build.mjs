/**
 * Bundles each package's `src` into its `dist` with esbuild: one file an entry, dependencies left outside.
 * Does nothing when every bundle is newer than every source. About 100 ms for all of them.
 */
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./installed.mjs";

/** For Node: ESM beside the sources' own package.json. `src/x.ts` and `dist/x.js` are equally deep: asset paths agree. */
const NODE = ["src/index.ts"];
/** [package, entries for Node, entries that run elsewhere]; `cjs` is for the apps' child, `page` for a browser. */
const PACKAGES = [
  { name: "contract", node: NODE },
  { name: "client", node: NODE },
  { name: "database", node: [...NODE, "src/testing.ts"] },
  { name: "egress", node: NODE },
  { name: "service", node: NODE },
  {
    name: "framework",
    node: [...NODE, "src/testing.ts", "src/testing/transform.ts"],
    cjs: ["src/runtime/child/child.ts", "src/testing.ts"],
    page: [
      "src/install/page/page.ts",
      "src/install/page/frame.ts",
      "src/install/page/own-page.ts",
      "src/install/page/own-client.ts",
      "src/install/views/page.css",
      "src/front/page/desk.ts",
      "src/front/client/client.ts",
    ],
  },
  { name: "parley", node: NODE },
];

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    const path = join(folder, entry.name);
    return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }, 0);

const stampOf = (name) => join(root, "packages", name, "dist", ".built");

/** -> names of the packages whose bundle is missing or older than a source. */
export const stale = () =>
  PACKAGES.filter(({ name }) => {
    const sources = Math.max(
      newest(join(root, "packages", name, "src")),
      statSync(join(root, "scripts", "build.mjs")).mtimeMs,
    );
    return !existsSync(stampOf(name)) || statSync(stampOf(name)).mtimeMs < sources;
  });

export async function build() {
  const due = stale();
  if (due.length === 0) return [];
  // A source saved while esbuild reads must count as newer than the bundle.
  const started = new Date();
  const { build: bundle } = await import("esbuild");
  await Promise.all(
    due.flatMap(({ name, node, cjs = [], page = [] }) => {
      const absWorkingDir = join(root, "packages", name);
      const common = { absWorkingDir, bundle: true, outdir: "dist", sourcemap: true, logLevel: "warning" };
      const exists = (entries) => entries.filter((entry) => existsSync(join(absWorkingDir, entry)));
      const flat = { entryNames: "[name]" };
      // What stands alone holds the other packages too; their own bundles are being written meanwhile.
      const fromSources = { conditions: ["source", "module"] };
      return [
        {
          ...common,
          ...flat,
          entryPoints: exists(node),
          format: "esm",
          platform: "node",
          target: "node20",
          packages: "external",
        },
        {
          ...common,
          ...flat,
          ...fromSources,
          entryPoints: exists(cjs),
          format: "cjs",
          platform: "node",
          target: "node20",
          outExtension: { ".js": ".cjs" },
          sourcemap: false,
        },
        {
          ...common,
          ...flat,
          ...fromSources,
          entryPoints: exists(page),
          format: "iife",
          platform: "browser",
          target: "es2022",
          minify: true,
          sourcemap: false,
        },
      ]
        .filter((options) => options.entryPoints.length > 0)
        .map((options) => bundle(options));
    }),
  );
  for (const { name } of due) {
    mkdirSync(join(root, "packages", name, "dist"), { recursive: true });
    writeFileSync(stampOf(name), "");
    utimesSync(stampOf(name), started, started);
  }
  return due.map(({ name }) => name);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.includes("--help")) {
    console.log(
      `node ${relative(process.cwd(), process.argv[1])}: bundles packages/*/src into packages/*/dist where a source is newer.`,
    );
  } else {
    const built = await build();
    console.log(built.length ? `built ${built.join(", ")}` : "everything is up to date");
  }
}
