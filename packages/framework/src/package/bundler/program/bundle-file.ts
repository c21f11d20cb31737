import { dirname, resolve, join, relative, sep } from "node:path";
import { type Metafile, type Plugin, build, type BuildOptions, type BuildResult } from "esbuild";
import { type BundlerMessage, type BundleJob, ASSIGNS_EXPORTS, type BundlerAnswer } from "../job.ts";
import { type PathRefused, PathGuard, bundlerMessage, bundlerMessages, refusalOfSourceMap } from "./path-guard.ts";
import { readFileSync } from "node:fs";
import { isInside, PATH_REFUSALS } from "../../files/app-file.ts";
import { withInlineMap, withStableNames } from "./bundle-output.ts";
import { tsconfigOf } from "./tsconfig.ts";

const PACKAGE = /^(?:@[^/]+\/)?[^./][^/]*/;
/** Matches imports that may refer to a path outside. */
const PATH_LIKE = /\.\.|^\/|^[A-Za-z]+:/;

/** Stub module that accepts any access while the code loads. */
const STUB_MODULE = `
const anything = new Proxy(function () {}, {
  get: (target, name) => (name === "then" || typeof name === "symbol" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});
module.exports = anything;`;
const STUB_NAMESPACE = "absent";

/** Marks resolutions that the plugin itself requests. */
const INNER_RESOLUTION = Symbol("inner resolution");

/**
 * Checks import specifiers before they are resolved. A declared package that is not installed is replaced by a stub if the job requests that,
 * so that the code can be analysed without it.
 */
const resolution = ({ standIns = [] }: BundleJob, guard: PathGuard, absent: (name: string) => void): Plugin => ({
  name: "resolution",
  setup(builder) {
    const refused = (refusal: PathRefused) => ({ errors: [{ text: refusal.reason, detail: refusal }] });
    builder.onResolve({ filter: standIns.length > 0 ? /./ : PATH_LIKE }, async (imported) => {
      if (imported.pluginData === INNER_RESOLUTION || imported.namespace === STUB_NAMESPACE) return undefined;
      const { path, kind, importer, namespace, resolveDir } = imported;
      const refusal = guard.refusalOfImport(imported);
      if (refusal) return refused(refusal);
      const [name = ""] = PACKAGE.exec(path) ?? [];
      if (!standIns.includes(name)) return undefined;
      const options = { kind, importer, namespace, resolveDir, with: imported.with, pluginData: INNER_RESOLUTION };
      const { errors } = await builder.resolve(path, options);
      if (errors.length === 0) return undefined;
      absent(name);
      return { path, namespace: STUB_NAMESPACE };
    });
    builder.onLoad({ filter: /./, namespace: STUB_NAMESPACE }, () => ({ contents: STUB_MODULE, loader: "js" }));
  },
});

/** Checks the resolved target of each import in a finished bundle. A package above the app's folder may import files that the app itself may not. */
function targetRefusalsIn({ inputs }: Metafile, folder: string, guard: PathGuard): BundlerMessage[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) => {
    const resolveDir = dirname(resolve(folder, file));
    return imports.flatMap(({ path, original = path, external }): BundlerMessage[] => {
      const imported = { path: original, resolveDir, with: {} };
      const refusal = external ? undefined : guard.refusalOfTarget(imported, resolve(folder, path));
      return refusal ? [{ level: "refused", text: refusal.reason, path: refusal.path, file }] : [];
    });
  });
}

/** Exports the value that a file assigned to the variable `exports`, unless the file assigned module.exports or its members. */
const ADOPT_ASSIGNED_EXPORTS = `if (typeof module.exports === "object" && module.exports && Object.keys(module.exports).length === 0) module.exports = exports;`;

/** Name of a bundle whose entry is not a file. */
const ENTRY_NAME = "parley-entry.js";

/** Text appended to a file of the app. Line numbers are preserved. */
const additionTo = (job: BundleJob, path: string, text: string): string | undefined => {
  if (job.appended !== undefined && path === join(job.folder, job.file)) return job.appended;
  const isOwn = isInside(job.folder, path) && !path.includes(`${sep}node_modules${sep}`);
  return job.hasAssignedExports && isOwn && /\.c?js$/.test(path) && ASSIGNS_EXPORTS.test(text)
    ? ADOPT_ASSIGNED_EXPORTS
    : undefined;
};

/** Undefined if the file cannot be read; esbuild then reports the error. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

/** Loads files that the guard permits, and keeps their texts. */
const fileLoading = (job: BundleJob, guard: PathGuard, texts: Map<string, string>): Plugin => ({
  name: "reading",
  setup(builder) {
    builder.onLoad({ filter: /./, namespace: "file" }, ({ path, with: attributes }) => {
      const refused = (reason: PathRefused) => ({ errors: [{ text: reason.reason, detail: reason }] });
      const refusal = guard.refusalOfFile(path, attributes);
      if (refusal) return refused(refusal);
      const text = textOf(path);
      if (text === undefined) return undefined;
      texts.set(path, text);
      const mapRefusal = job.sourcemap && refusalOfSourceMap(guard, path, text);
      if (mapRefusal) return refused(mapRefusal);
      const addition = additionTo(job, path, text);
      return addition === undefined ? undefined : { contents: `${text}\n${addition}`, loader: "default" };
    });
  },
});

const optionalMember = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Value };

/** Loaders of non-code imports in page scripts. */
const PAGE_LOADERS: BuildOptions["loader"] = {
  ".svg": "dataurl",
  ".png": "dataurl",
  ".jpg": "dataurl",
  ".jpeg": "dataurl",
  ".gif": "dataurl",
  ".webp": "dataurl",
  ".woff": "dataurl",
  ".woff2": "dataurl",
};

/** Adds the imported styles to the page before the script runs, on the script's first line to keep the source map valid. */
const withStyles = (code: string, styles: string): string =>
  `document.head.appendChild(Object.assign(document.createElement("style"), { textContent: ${JSON.stringify(styles)} }));${code}`;

const optionsOf = (job: BundleJob): BuildOptions => ({
  absWorkingDir: job.folder,
  ...(job.entryText === undefined
    ? { entryPoints: [`./${job.file}`] }
    : { stdin: { contents: job.entryText, resolveDir: job.folder, sourcefile: ENTRY_NAME } }),
  outdir: ".",
  bundle: true,
  write: false,
  metafile: true,
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  logLevel: "silent",
  platform: job.platform,
  format: job.format,
  // Existing apps use JSX without importing React, and import styles and images as modules.
  ...(job.platform === "browser" ? { jsx: "automatic", loader: PAGE_LOADERS } : {}),
  ...optionalMember("globalName", job.globalName),
  ...(job.external ? { external: [...job.external] } : {}),
  ...(job.sourcemap ? { sourcemap: "external", sourcesContent: false } : {}),
});

/** Replaces esbuild's messages about files that the app may not read by a refusal. */
function withRefusals(
  job: BundleJob,
  guard: PathGuard,
  messages: readonly BundlerMessage[],
): readonly BundlerMessage[] {
  const all = messages.map((message): BundlerMessage => {
    const { level, file } = message;
    if (level === "refused" || file === undefined || file === ENTRY_NAME) return message;
    const refusal = guard.refusalOfFile(resolve(job.folder, file));
    return refusal ? { level: "refused", text: PATH_REFUSALS.link, path: file, file } : message;
  });
  const refused = all.filter(({ level }) => level === "refused");
  return refused.length > 0 ? refused : all;
}

const failedAnswer = (messages: readonly BundlerMessage[]): BundlerAnswer => ({
  exports: [],
  isModule: false,
  inputs: [],
  absent: [],
  messages: [...messages],
});

/** Bundles one file of an app with its imports. Errors in the app's files are returned as messages. */
export async function bundleFile(job: BundleJob): Promise<BundlerAnswer> {
  const { folder } = job;
  const guard = new PathGuard(job);
  const tsconfig = await tsconfigOf(job, guard);
  if ("refused" in tsconfig) {
    const { refused, file } = tsconfig;
    return failedAnswer([{ level: "refused", text: refused.reason, path: file, file }]);
  }
  const texts = new Map<string, string>();
  const absent = new Set<string>();
  let result: BuildResult;
  try {
    result = await build({
      ...optionsOf(job),
      tsconfigRaw: tsconfig.raw,
      plugins: [resolution(job, guard, (name) => absent.add(name)), fileLoading(job, guard, texts)],
    });
  } catch (error) {
    return failedAnswer(withRefusals(job, guard, bundlerMessages(error)));
  }
  const messages = withRefusals(
    job,
    guard,
    result.warnings.map((warning) => bundlerMessage("warning", warning)),
  );
  const targetRefusals =
    guard.hasPackagesAbove && result.metafile ? targetRefusalsIn(result.metafile, folder, guard) : [];
  const refused = [...messages.filter(({ level }) => level === "refused"), ...targetRefusals];
  if (refused.length > 0) return failedAnswer(refused);
  const files = result.outputFiles ?? [];
  const map = files.find(({ path }) => path.endsWith(".js.map"))?.text;
  let code = files.find(({ path }) => !/\.(?:map|css)$/.test(path))?.text ?? "";
  const styles = files.find(({ path }) => path.endsWith(".css"))?.text;
  if (job.hasStableNames) code = withStableNames(folder, code, guard);
  if (job.sourcemap === "inline" && map !== undefined) code = withInlineMap(folder, code, map, texts);
  if (styles !== undefined && job.platform === "browser") code = withStyles(code, styles);
  const output = Object.values(result.metafile?.outputs ?? {}).find(({ entryPoint }) => entryPoint !== undefined);
  return {
    code,
    ...(job.sourcemap === "external" ? optionalMember("map", map) : {}),
    exports: output?.exports ?? [],
    isModule: result.metafile?.inputs[job.file]?.format === "esm",
    inputs: [...texts.keys()].map((path) => relative(folder, path).split(sep).join("/")),
    absent: [...absent],
    messages: [...messages],
  };
}
