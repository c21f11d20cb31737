import type { Bundler } from "../bundler/bundler.ts";
import { readText } from "../files/app-file.ts";
import { bundle, syntaxErrors } from "./bundle.ts";
import { firstOf, type Code } from "./server-code.ts";

const ENTRIES = ["config/assets/iparams.ts", "config/assets/iparams.js"];
/** Called by the page when the file has them. */
const HOOKS = ["onFormLoad", "onFormUnload"];
const PREFIX = "__callback_";
const NAME = /^[A-Za-z_$][\w$]*$/;

export interface Callbacks extends Code {
  /** Of the names asked for, and of those that the file exports, the ones that are there; undefined when it can't be read. */
  readonly names?: ReadonlySet<string>;
}

/** Of the names, those that stand at the top of the file: exporting any other is an error to esbuild. */
async function declaredIn(
  bundler: Bundler,
  script: { readonly folder: string; readonly file: string; readonly text: string },
  names: readonly string[],
): Promise<string[]> {
  const errors = await syntaxErrors(bundler, { ...script, text: `${script.text}\n${exporting(names)}` });
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

/** Makes the callbacks of the installation page reachable by name, whether the file is a module or a script. */
export async function callbacksCode(bundler: Bundler, folder: string, wanted: readonly string[]): Promise<Callbacks> {
  const entry = await firstOf(folder, ENTRIES);
  if (!entry) return { code: "", names: new Set(), findings: [] };
  const text = (await readText(folder, entry)) ?? "";
  const plain = await bundle(bundler, { folder, file: entry, platform: "browser", format: "esm" });
  if (plain.code === undefined) return { code: "", findings: plain.findings };
  const declared = await declaredIn(
    bundler,
    { folder, file: entry, text },
    [...new Set([...wanted, ...HOOKS])].filter((name) => NAME.test(name)),
  );
  const names = new Set([...declared, ...plain.exports]);
  if (!plain.isModule) return { code: asScript(text, declared), names, findings: plain.findings };
  const { code, findings } = await bundle(bundler, {
    folder,
    file: entry,
    platform: "browser",
    format: "iife",
    entryText: moduleEntry(entry),
    appended: exporting(declared),
  });
  return { code: code ?? "", names, findings };
}
