import { type Bundler, type BundleRequest, BundlingFailed } from "../bundler/bundler.ts";
import type { BundlerAnswer, BundlerMessage } from "../bundler/job.ts";
import type { Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import { readAppFileText } from "../files/app-file.ts";

/** A bundle, or findings that prevent it. */
interface AppBundle extends Omit<BundlerAnswer, "messages"> {
  readonly findings: readonly Finding[];
}

const absentPackageHelp = (file: string, name: string): string =>
  file.startsWith("server/")
    ? `Name the package in dependencies of manifest.json, with its exact version: "${name}": "1.2.3".`
    : `Install the package first: run 'npm install' in the app's folder, or 'npm install ${name}' if package.json does not name it.`;

/** Converts a message of the bundler. */
const bundlerFinding = (file: string, { level, text, path, line, column, ...place }: BundlerMessage): Finding => {
  const where = line === undefined ? {} : { line, column: column ?? 1 };
  const at = place.file ?? file;
  if (level === "refused") return createFinding("path-refused", at, { path: path ?? at, reason: text }, where);
  const [, name] = /^Could not resolve "((?:@[^"/]+\/)?[^"@./#][^"/]*)/.exec(text) ?? [];
  const help = name === undefined ? {} : { help: absentPackageHelp(at, name) };
  return createFinding(level === "error" ? "syntax" : "syntax-warning", at, { text }, { ...where, ...help });
};

/** Converts the failure of a job. @errors Rethrows every other error. */
const failureOf = (file: string, error: unknown): Finding => {
  if (error instanceof BundlingFailed) return createFinding("bundling-failed", file, { file, reason: error.message });
  throw error;
};

/** Bundles a file of an app. Errors in the sources become findings. @errors any other error */
async function bundleApp(bundler: Bundler, request: BundleRequest): Promise<AppBundle> {
  const { file } = request;
  try {
    const { messages, ...answer } = await bundler.bundle(request);
    return { ...answer, findings: messages.map((message) => bundlerFinding(file, message)) };
  } catch (error) {
    return { exports: [], isModule: false, inputs: [], absent: [], findings: [failureOf(file, error)] };
  }
}

/** Bundles a file of an app reproducibly on any machine. */
export const stableBundle = (bundler: Bundler, request: BundleRequest): Promise<AppBundle> =>
  bundleApp(bundler, { ...request, hasStableNames: true });

/** Result of checking a single text. */
interface ModuleOutline extends Pick<BundlerAnswer, "exports" | "isModule"> {
  /** Syntax errors. */
  readonly errors: readonly Finding[];
}

/** Checks the syntax of a text. @errors any error that is not in the text */
export async function outlineOf(
  bundler: Bundler,
  { folder, file, text }: { readonly folder: string; readonly file: string; readonly text: string },
): Promise<ModuleOutline> {
  try {
    const answer = await bundler.checkSyntax(folder, { text, loader: /ts$/i.test(file) ? "ts" : "js" });
    const errors = answer.messages.filter(({ level }) => level === "error");
    return { ...answer, errors: errors.map((message) => ({ ...bundlerFinding(file, message), file })) };
  } catch (error) {
    return { exports: [], isModule: false, errors: [failureOf(file, error)] };
  }
}

export interface BundledCode {
  readonly code: string;
  /** Source map of the code. Paths of sources begin at the app's folder. */
  readonly map?: string;
  readonly findings: readonly Finding[];
}

export const SERVER_ENTRIES = ["server/server.ts", "server/server.js"];

/** The first of the files that exists. */
export async function firstExistingFile(folder: string, files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if ((await readAppFileText(folder, file)) !== undefined) return file;
  return undefined;
}

/** The script with an app's handlers. @shape file: one of `SERVER_ENTRIES` */
export interface ServerScript {
  readonly folder: string;
  readonly file: string;
}

interface ServerCode extends BundledCode {
  /** Packages that were replaced by a stub. */
  readonly absent: readonly string[];
}

/**
 * Bundles the handlers with their own files and packages, without Node's built-in modules.
 * @shape standIns: packages that may be missing
 */
export async function serverCode(
  bundler: Bundler,
  { folder, file }: ServerScript,
  standIns: readonly string[] = [],
): Promise<ServerCode> {
  const { code, map, absent, findings } = await bundleApp(bundler, {
    folder,
    file,
    platform: "node",
    format: "cjs",
    hasAssignedExports: true,
    standIns,
    sourcemap: "external",
  });
  return { code: code ?? "", absent, findings, ...(map === undefined ? {} : { map }) };
}

export const CALLBACK_ENTRIES = ["config/assets/iparams.ts", "config/assets/iparams.js"];
/** Callbacks that the page calls if the file contains them. */
const LIFECYCLE_CALLBACKS = ["onFormLoad", "onFormUnload"];
const PREFIX = "__callback_";
const NAME = /^[A-Za-z_$][\w$]*$/;

interface Callbacks extends BundledCode {
  /** The requested names that exist, also in another case, and the exported names; undefined if the file cannot be parsed. */
  readonly names?: ReadonlySet<string>;
}

/** The names that are declared at the top level of the file. esbuild reports an error for exporting any other name. */
async function declaredIn(
  bundler: Bundler,
  script: { readonly folder: string; readonly file: string; readonly text: string },
  names: readonly string[],
): Promise<string[]> {
  const text = `${script.text}\n${exportStatement(names)}`;
  const { errors, exports } = await outlineOf(bundler, { ...script, text });
  const missing = errors.map(({ message }) => /^"(.+)" is not declared/.exec(message)?.[1]);
  // In TypeScript an undeclared name could be a type: the export is left out without an error.
  const isExported = (name: string) => errors.length > 0 || exports.includes(PREFIX + name);
  return names.filter((name) => !missing.includes(name) && isExported(name));
}

const exportStatement = (names: readonly string[]) =>
  `export { ${names.map((name) => `${name} as ${PREFIX}${name}`).join(", ")} };`;

/** Words of a text that differ from a name in case only: what a misspelt name may mean. */
const wordsInOtherCase = (text: string, names: readonly string[]): string[] => {
  const lowerCase = new Set(names.map((name) => name.toLowerCase()));
  return (text.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => lowerCase.has(word.toLowerCase()));
};

/** Wraps a script without making it a module, since its author may rely on sloppy mode. */
const asScript = (text: string, names: readonly string[]) => `(function () {
${text}
;globalThis.__callbacks = { ${names.join(", ")} };
})();
`;

const moduleEntry = (file: string) => `import * as all from "./${file}";
globalThis.__callbacks = {};
for (const [name, value] of Object.entries(all))
  if (typeof value === "function") globalThis.__callbacks[name.replace(${JSON.stringify(PREFIX)}, "")] = value;
`;

/** Matches a module that re-exports all names of another module, so that only a bundle reveals them. */
const REEXPORTS_ALL = /\bexport\s*\*/;

/** Makes the callbacks of the installation page accessible by name, both for modules and for scripts. */
export async function callbacksCode(
  bundler: Bundler,
  folder: string,
  requested: readonly string[],
): Promise<Callbacks> {
  const file = await firstExistingFile(folder, CALLBACK_ENTRIES);
  if (!file) return { code: "", names: new Set(), findings: [] };
  const text = (await readAppFileText(folder, file)) ?? "";
  const candidates = [...new Set([...requested, ...LIFECYCLE_CALLBACKS, ...wordsInOtherCase(text, requested)])].filter(
    (name) => NAME.test(name),
  );
  const [{ exports, isModule }, declared] = await Promise.all([
    outlineOf(bundler, { folder, file, text }),
    declaredIn(bundler, { folder, file, text }, candidates),
  ]);
  const bundleModule = () =>
    bundleApp(bundler, {
      folder,
      file,
      platform: "browser",
      format: "iife",
      entryText: moduleEntry(file),
      appended: exportStatement(declared),
    });
  const bundleUnchanged = () => bundleApp(bundler, { folder, file, platform: "browser", format: "esm" });
  const [moduleBundle, plainBundle] = await Promise.all([
    isModule ? bundleModule() : undefined,
    !isModule || REEXPORTS_ALL.test(text) ? bundleUnchanged() : undefined,
  ]);
  const { code, findings } = moduleBundle ?? plainBundle ?? { findings: [] };
  if (code === undefined) return { code: "", findings };
  const names = new Set([...declared, ...exports, ...(plainBundle?.exports ?? [])]);
  return { code: moduleBundle ? code : asScript(text, declared), names, findings };
}
