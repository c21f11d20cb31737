/**
 * Bundles each package's `src` into its `dist` with esbuild: a file for each entry and for what entries
 * share or load later, dependencies left outside but for those of many modules.
 * Does nothing when every bundle is newer than every source. About 100 ms for all of them.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root } from "./installed.mjs";

/**
 * Libraries of many hundred small modules that hold no state: in the bundle they are a few functions, outside it half the time that a
 * command takes to begin.
 */
const INLINED = {
  name: "inlined",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(typebox|libphonenumber-js)(\/|$)/ }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
      sideEffects: false,
    })),
};

/** For Node: ESM beside the sources' own package.json. `src/x.ts` and `dist/x.js` are equally deep: asset paths agree. */
const NODE = ["src/index.ts"];
/** [package, entries for Node, entries that run elsewhere]; `cjs` is for the apps' child, `page` for a browser. */
const PACKAGES = [
  { name: "contract", node: NODE },
  { name: "client", node: NODE },
  { name: "database", node: [...NODE, "src/testing.ts"] },
  { name: "egress", node: NODE },
  { name: "ingress", node: NODE },
  {
    name: "service",
    node: [...NODE, "src/configuration/config.ts", "src/objects/listing.ts", "src/environment/ports.ts"],
  },
  {
    name: "framework",
    node: [...NODE, "src/authoring.ts", "src/testing.ts", "src/testing/transform.ts"],
    cjs: ["src/runtime/child/child.ts", "src/package/bundler/program/bundler-program.ts", "src/testing.ts"],
    page: [
      "src/installation/page/browser/page.ts",
      "src/installation/page/browser/frame.ts",
      "src/installation/page/browser/own-page.ts",
      "src/installation/page/browser/consents.ts",
      "src/installation/page/browser/app-settings.ts",
      "src/installation/page/browser/own-client.ts",
      "src/installation/page/views/page.css",
      "src/simulation/page/simulation.ts",
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
  const bundled = await Promise.all(
    due.flatMap(({ name, node, cjs = [], page = [] }) => {
      const absWorkingDir = join(root, "packages", name);
      const common = { absWorkingDir, bundle: true, outdir: "dist", metafile: true, sourcemap: true };
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
          plugins: [INLINED],
          // What is imported when it is needed stays a file of its own.
          splitting: true,
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
          // It finds its own program by where it lies.
          external: ["esbuild"],
          // A library's module can be bundled; its main file may load the rest of it by names that are made when it runs.
          mainFields: ["module", "main"],
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
        .map(async (options) => {
          const { metafile } = await bundle({ ...options, logLevel: "warning" });
          return Object.keys(metafile.outputs).map((path) => join(absWorkingDir, path));
        });
    }),
  );
  const written = new Set(bundled.flat());
  for (const { name } of due) {
    const dist = join(root, "packages", name, "dist");
    mkdirSync(dist, { recursive: true });
    // Shared pieces are named by what they hold: those of before stay otherwise.
    for (const file of readdirSync(dist)) if (!written.has(join(dist, file))) rmSync(join(dist, file));
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
