import type { Bundler } from "../bundler/bundler.ts";
import { readAppFileText } from "../files/app-file.ts";
import { bundleApp, outlineOf } from "./bundle.ts";
import { firstExistingFile, type BundledCode } from "./server-code.ts";

const ENTRIES = ["config/assets/iparams.ts", "config/assets/iparams.js"];
/** Called by the page when the file has them. */
const HOOKS = ["onFormLoad", "onFormUnload"];
const PREFIX = "__callback_";
const NAME = /^[A-Za-z_$][\w$]*$/;

interface Callbacks extends BundledCode {
  /** Of the names asked for, and of those that the file exports, the ones that are there; undefined when it can't be read. */
  readonly names?: ReadonlySet<string>;
}

/** Of the names, those that stand at the top of the file: exporting any other is an error to esbuild. */
async function declaredIn(
  bundler: Bundler,
  script: { readonly folder: string; readonly file: string; readonly text: string },
  names: readonly string[],
): Promise<string[]> {
  const { errors } = await outlineOf(bundler, { ...script, text: `${script.text}\n${exporting(names)}` });
  const missing = errors.map(({ message }) => /^"(.+)" is not declared/.exec(message)?.[1]);
  return names.filter((name) => !missing.includes(name));
}

const exporting = (names: readonly string[]) =>
  `export { ${names.map((name) => `${name} as ${PREFIX}${name}`).join(", ")} };`;

/** A script stays a script, since its author may count on sloppy mode; only its functions are handed out. */
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

/** A module that passes on what another one exports: only a bundle tells the names. */
const PASSES_ALL_ON = /\bexport\s*\*/;

/** Makes the callbacks of the installation page reachable by name, whether the file is a module or a script. */
export async function callbacksCode(bundler: Bundler, folder: string, wanted: readonly string[]): Promise<Callbacks> {
  const file = await firstExistingFile(folder, ENTRIES);
  if (!file) return { code: "", names: new Set(), findings: [] };
  const text = (await readAppFileText(folder, file)) ?? "";
  const own = [...new Set([...wanted, ...HOOKS])].filter((name) => NAME.test(name));
  const [{ exports, isModule }, declared] = await Promise.all([
    outlineOf(bundler, { folder, file, text }),
    declaredIn(bundler, { folder, file, text }, own),
  ]);
  const asModule = () =>
    bundleApp(bundler, {
      folder,
      file,
      platform: "browser",
      format: "iife",
      entryText: moduleEntry(file),
      appended: exporting(declared),
    });
  const asIs = () => bundleApp(bundler, { folder, file, platform: "browser", format: "esm" });
  const [made, plain] = await Promise.all([
    isModule ? asModule() : undefined,
    !isModule || PASSES_ALL_ON.test(text) ? asIs() : undefined,
  ]);
  const { code, findings } = made ?? plain ?? { findings: [] };
  if (code === undefined) return { code: "", findings };
  const names = new Set([...declared, ...exports, ...(plain?.exports ?? [])]);
  return { code: made ? code : asScript(text, declared), names, findings };
}
