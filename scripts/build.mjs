/**
 * Bundles each package's `src` into its `dist` with esbuild: one file for each entry and for code that entries share or import dynamically.
 * Dependencies stay external, except libraries of many modules. Does nothing when every bundle is newer than its sources. The pages of the
 * console, which Vite builds, take most of the time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isBuiltin } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { PACKAGES } from "./bundles.mjs";
import { CONTRACT_VALUES } from "./contract-values.mjs";
import { root } from "./installed.mjs";

/** Libraries that a bundle includes with all that they require: loading them module by module takes most of a command's start time. */
export const INLINED_LIBRARIES =
  /^(typebox|libphonenumber-js|axios|undici|handlebars|fflate|jsonc-parser|re2js|commander|cli-progress|pg|fastify|fast-json-stringify|uuid|semver|yazl|csv-stringify|@jridgewell\/trace-mapping|@opentelemetry\/api|prom-client|fast-xml-parser)(\/|$)/;
/** Packages of this repository, by name and entry: their bundles are siblings, in the repository as well as in a released package. */
const OWN_PACKAGE = /^@parley\/(\w+)(?:\/(\w+))?$/;
/** Libraries without effects at load time, of which a bundle includes only the functions in use. */
const PURE_LIBRARIES = /\/node_modules\/(typebox|libphonenumber-js)\//;
/** Marks the requests that the plugin below makes itself. */
const IS_RESOLVING = Symbol("resolving");

/** -> path of another package's bundle, relative to a bundle */
const bundlePath = (name, entry) => {
  const { exports } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
  return `../../${name}/${exports[entry ? `./${entry}` : "."].default.slice(2)}`;
};

const INLINED = {
  name: "inlined",
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData, importer }) => {
      if (pluginData === IS_RESOLVING || path.startsWith("node:") || isBuiltin(path)) return undefined;
      const [, name, entry] = OWN_PACKAGE.exec(path) ?? [];
      if (name) return { path: bundlePath(name, entry), external: true };
      if (!INLINED_LIBRARIES.test(path) && !importer.includes("/node_modules/")) return { path, external: true };
      const found = await resolve(path, { kind, resolveDir, pluginData: IS_RESOLVING });
      // Optional dependencies are required where they are missing.
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return { path: found.path, sideEffects: PURE_LIBRARIES.test(found.path) ? false : found.sideEffects };
    }),
};

/** Gives a bundle in ES modules the `require` that libraries in CommonJS call. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    const path = join(folder, entry.name);
    return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }, 0);

/** -> folders of the libraries in a bundle, relative to the root */
export const inlinedLibraries = (folder, { inputs }) =>
  Object.keys(inputs).flatMap((path) => {
    const [found] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(join(folder, path)) ?? [];
    return found ? [relative(root, found)] : [];
  });

/** Brotli's highest quality takes two seconds for the largest file at each build, and saves 8 % of what each browser loads. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
const [compressAsBrotli, compressAsGzip] = [promisify(brotliCompress), promisify(gzip)];

/**
 * Builds the pages of a package by its configurations of Vite, and compresses their files once: each request is answered from these.
 * -> folders of the libraries in them, relative to the root
 */
async function buildApplication(folder) {
  const { build } = await import("vite");
  // Tests build too, and have NODE_ENV=test: the pages would contain the development version of React.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  const modules = [];
  for (const name of readdirSync(folder).filter((file) => /^vite\.(?:[\w-]+\.)?config\.ts$/.test(file))) {
    let outDir = "";
    const written = { name: "written", configResolved: (config) => void ({ outDir } = config.build) };
    const { output } = await build({
      root: folder,
      configFile: join(folder, name),
      logLevel: "warn",
      plugins: [written],
    });
    modules.push(...output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
    const assets = join(folder, outDir, "assets");
    const compressed = readdirSync(assets).filter((file) => /\.(?:js|css|svg)$/.test(file));
    await Promise.all(
      compressed.map(async (file) => {
        const bytes = readFileSync(join(assets, file));
        writeFileSync(join(assets, `${file}.br`), await compressAsBrotli(bytes, BROTLI));
        writeFileSync(join(assets, `${file}.gz`), await compressAsGzip(bytes, { level: constants.Z_BEST_COMPRESSION }));
      }),
    );
  }
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  const own = modules.filter((path) => path.startsWith(root));
  return inlinedLibraries(root, { inputs: Object.fromEntries(own.map((path) => [relative(root, path), {}])) });
}

/** A file whose time says when the package was built; its lines are the folders of the libraries in its bundles. */
export const stampOf = (name) => join(root, "packages", name, "dist", ".built");

/** -> names of the packages whose bundle is missing or older than a source */
export const stale = () =>
  PACKAGES.filter(({ name, derivedFrom = [] }) => {
    const sources = Math.max(
      ...[name, ...derivedFrom].map((each) => newest(join(root, "packages", each, "src"))),
      ...["build.mjs", "bundles.mjs", "contract-values.mjs"].map(
        (script) => statSync(join(root, "scripts", script)).mtimeMs,
      ),
    );
    return !existsSync(stampOf(name)) || statSync(stampOf(name)).mtimeMs < sources;
  });

/**
 * Replaces characters beyond Latin-1 in a bundle by escapes, which esbuild leaves in comments and tagged templates: a single one makes the engine keep
 * the whole source with two bytes a character, 4 MB more in each process of the service.
 */
const toAscii = (path) => {
  if (!/\.c?js$/.test(path)) return;
  const text = readFileSync(path, "utf8");
  const escaped = text.replace(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  if (escaped !== text) writeFileSync(path, escaped);
};

/** Minifies the scripts of pages further with Vite's minifier: esbuild alone leaves 3 % more, compressed. */
const minifyPage = async (path) => {
  if (!path.endsWith(".js")) return;
  const { minify } = await import("vite");
  const { code, errors } = await minify(path, readFileSync(path, "utf8"), { compress: { target: "es2022" } });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  writeFileSync(path, code);
};

/** Bundles the stale packages in this process. -> their names */
async function bundleStale() {
  const due = stale();
  if (due.length === 0) return [];
  // A source that is saved while esbuild reads must count as newer than the bundle.
  const started = new Date();
  const { build: bundle } = await import("esbuild");
  const bundled = await Promise.all(
    due.flatMap(({ name, node, cjs = [], page = [], module = [] }) => {
      const absWorkingDir = join(root, "packages", name);
      const common = { absWorkingDir, bundle: true, outdir: "dist", metafile: true, sourcemap: true };
      const exists = (entries) => entries.filter((entry) => existsSync(join(absWorkingDir, entry)));
      const flat = { entryNames: "[name]" };
      // Standalone bundles include other packages from source, because the bundles of those are being written at the same time.
      const fromSources = { conditions: ["parley-source", "module"] };
      return [
        {
          ...common,
          ...flat,
          entryPoints: exists(node),
          format: "esm",
          platform: "node",
          target: "node20",
          mainFields: ["module", "main"],
          banner: { js: REQUIRE },
          plugins: [CONTRACT_VALUES, INLINED],
          // Dynamic imports stay separate files.
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
          // esbuild locates its executable relative to its own file.
          external: ["esbuild"],
          // Prefers the ES module of a library: its main file may load other files by computed names, which can't be bundled.
          mainFields: ["module", "main"],
          sourcemap: false,
        },
        {
          ...common,
          ...flat,
          ...fromSources,
          plugins: [CONTRACT_VALUES],
          entryPoints: exists(page),
          format: "iife",
          platform: "browser",
          target: "es2022",
          minify: true,
          sourcemap: false,
        },
        {
          ...common,
          ...flat,
          ...fromSources,
          plugins: [CONTRACT_VALUES],
          entryPoints: exists(module),
          format: "esm",
          platform: "browser",
          target: "es2022",
          sourcemap: false,
        },
      ]
        .filter((options) => options.entryPoints.length > 0)
        .map(async (options) => {
          const { metafile } = await bundle({ ...options, logLevel: "warning" });
          const outputs = Object.keys(metafile.outputs).map((path) => join(absWorkingDir, path));
          if (options.platform === "node") outputs.forEach(toAscii);
          else if (options.minify) await Promise.all(outputs.map(minifyPage));
          return {
            name,
            outputs,
            libraries: inlinedLibraries(absWorkingDir, metafile),
          };
        });
    }),
  );
  for (const { name, application } of due)
    if (application)
      bundled.push({ name, outputs: [], libraries: await buildApplication(join(root, "packages", name)) });
  const written = new Set(bundled.flatMap(({ outputs }) => outputs));
  for (const { name } of due) {
    const dist = join(root, "packages", name, "dist");
    mkdirSync(dist, { recursive: true });
    // Names of shared chunks depend on their content, so outdated chunks are removed.
    for (const file of readdirSync(dist, { withFileTypes: true }))
      if (file.isFile() && !written.has(join(dist, file.name))) rmSync(join(dist, file.name));
    const libraries = bundled.flatMap((each) => (each.name === name ? each.libraries : []));
    writeFileSync(stampOf(name), `${[...new Set(libraries)].sort().join("\n")}\n`);
    utimesSync(stampOf(name), started, started);
  }
  return due.map(({ name }) => name);
}

/**
 * Builds outputs that are missing or older than their sources in a process that ends: esbuild's service and the modules of Vite, about a gigabyte,
 * would stay as long as the caller. That process writes to standard error only. @errors Error when it fails, after it has printed the reason
 */
export async function build() {
  if (stale().length === 0) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ["ignore", "ignore", "inherit"] });
  // Ends the build with this process: a signal that is sent to this process alone would leave the build running.
  const passOn = (signal) => {
    child.kill(signal);
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.once(signal, passOn);
  try {
    const [status, signal] = await once(child, "exit");
    if (status !== 0) throw new Error(`The build failed with ${signal ?? status}: see above.`);
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.includes("--help")) {
    console.log(
      `node ${relative(process.cwd(), process.argv[1])}: bundles packages/*/src into packages/*/dist where a source is newer.`,
    );
  } else {
    const built = await bundleStale();
    console.log(built.length ? `built ${built.join(", ")}` : "everything is up to date");
  }
}
