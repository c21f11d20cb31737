import type { Bundler } from "../bundler/bundler.ts";
import { readAppFileText } from "../files/app-file.ts";
import { bundleApp, outlineOf } from "./bundle.ts";
import { firstExistingFile, type BundledCode } from "./server-code.ts";

const CALLBACK_ENTRIES = ["config/assets/iparams.ts", "config/assets/iparams.js"];
/** Callbacks that the page calls if the file contains them. */
const LIFECYCLE_CALLBACKS = ["onFormLoad", "onFormUnload"];
const PREFIX = "__callback_";
const NAME = /^[A-Za-z_$][\w$]*$/;

interface Callbacks extends BundledCode {
  /** The requested and exported names that exist; undefined if the file cannot be parsed. */
  readonly names?: ReadonlySet<string>;
}

/** The names that are declared at the top level of the file. esbuild reports an error for exporting any other name. */
async function declaredIn(
  bundler: Bundler,
  script: { readonly folder: string; readonly file: string; readonly text: string },
  names: readonly string[],
): Promise<string[]> {
  const { errors } = await outlineOf(bundler, { ...script, text: `${script.text}\n${exportStatement(names)}` });
  const missing = errors.map(({ message }) => /^"(.+)" is not declared/.exec(message)?.[1]);
  return names.filter((name) => !missing.includes(name));
}

const exportStatement = (names: readonly string[]) =>
  `export { ${names.map((name) => `${name} as ${PREFIX}${name}`).join(", ")} };`;

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

/** Matches a module that re-exports all names of another one, so that only a bundle reveals them. */
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
  const candidates = [...new Set([...requested, ...LIFECYCLE_CALLBACKS])].filter((name) => NAME.test(name));
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
