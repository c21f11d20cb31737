import type { Bundler } from "../bundler/bundler.ts";
import { CALLBACK_ENTRIES, stableBundle, firstExistingFile, callbacksCode } from "../load/bundle.ts";
import { APP_SETTINGS_FILE } from "../load/app-settings.ts";
import type { Project } from "../../model/project.ts";
import { fieldIparams, fieldAppSettings, type PackTarget, IPARAMS_FILE, jsonFile } from "./json-file.ts";
import type { PackedPart } from "./server-file.ts";
import { readPackedFile, textFile, walkFolder, type PackedFile } from "../files/app-file.ts";

const CALLBACKS_FILE = "config/assets/iparams.js";

const callbacksOf = ({ iparams }: Project): string[] =>
  Object.values(iparams).flatMap(({ events = [] }) => events.map(({ change }) => change));

/** The page calls top-level functions of a script: for each callback, one that delegates to the bundle. */
const asScript = (code: string, names: readonly string[]): string =>
  [
    code.trimEnd(),
    ...names.map((name) => `function ${name}(...values) {\n  return iparamsCallbacks.${name}(...values);\n}`),
    "",
  ].join("\n");

interface AppInFolder {
  readonly folder: string;
  readonly project: Project;
}

interface Callbacks extends Pick<PackedPart, "findings"> {
  readonly file?: PackedFile;
  /** Sources of the file. */
  readonly used?: readonly string[];
}

/** Bundles the callbacks of the installation page if they are TypeScript or a module; otherwise the file is packed unchanged. */
async function packedCallbacks(bundler: Bundler, entry: string, { folder, project }: AppInFolder): Promise<Callbacks> {
  const { names = new Set<string>() } = await callbacksCode(bundler, folder, callbacksOf(project));
  const plain = await stableBundle(bundler, { folder, file: entry, platform: "browser", format: "esm" });
  // Independent of the type in package.json: without imports and exports, the page treats the file as a script.
  const isScript = entry.endsWith(".js") && plain.exports.length === 0 && plain.inputs.length === 1;
  if (plain.code === undefined || isScript) return { findings: plain.findings };
  const hidden = [...names].filter((name) => !plain.exports.includes(name));
  const { code, findings } = await stableBundle(bundler, {
    folder,
    file: entry,
    platform: "browser",
    format: "iife",
    globalName: "iparamsCallbacks",
    appended: `export { ${hidden.join(", ")} };`,
  });
  const namedExports = [...names].filter((name) => name !== "default").sort();
  return {
    used: plain.inputs,
    findings,
    ...(code === undefined ? {} : { file: textFile(CALLBACKS_FILE, asScript(code, namedExports)) }),
  };
}

interface PackedJson extends Pick<PackedPart, "findings"> {
  readonly file: PackedFile;
}

async function packedJson(folder: string, path: string, project: Project, target: PackTarget): Promise<PackedJson> {
  const packedFile = await jsonFile(folder, path);
  if (target !== "field" || (path !== IPARAMS_FILE && path !== APP_SETTINGS_FILE)) return packedFile;
  const { file, findings } =
    path === IPARAMS_FILE ? fieldIparams(packedFile.file, project) : fieldAppSettings(packedFile.file);
  return { file, findings: [...packedFile.findings, ...findings] };
}

/** Packs config/: declarations unchanged or converted for the target, and callbacks as a script. */
export async function packConfig(
  bundler: Bundler,
  { folder, project }: AppInFolder,
  target: PackTarget,
): Promise<PackedPart> {
  const { files, leftOut } = await walkFolder(folder, "config");
  const entry = project.ownPage === undefined ? await firstExistingFile(folder, CALLBACK_ENTRIES) : undefined;
  const callbacks: Callbacks = entry ? await packedCallbacks(bundler, entry, { folder, project }) : { findings: [] };
  const packed = await Promise.all(
    files
      .filter((path) => !callbacks.file || path !== CALLBACKS_FILE)
      .map(async (path): Promise<PackedJson> =>
        /^config\/[^/]+\.json$/.test(path)
          ? packedJson(folder, path, project, target)
          : { file: await readPackedFile(folder, path), findings: [] },
      ),
  );
  return {
    files: [...packed.map(({ file }) => file), ...(callbacks.file ? [callbacks.file] : [])],
    leftOut: leftOut.filter((path) => !callbacks.used?.includes(path)),
    findings: [...callbacks.findings, ...packed.flatMap(({ findings }) => findings)],
  };
}
