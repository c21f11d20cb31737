import type { Bundler } from "../bundler/bundler.ts";
import { compiledScriptsOf, compilePageScripts, inJavaScript, withPackedScripts } from "../load/page-scripts.ts";
import type { Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import type { PackedPart } from "./server-file.ts";
import { readPackedFile, textFile, readPackedText, walkFolder, type PackedFile } from "../files/app-file.ts";

interface PackedScripts {
  readonly files: readonly PackedFile[];
  readonly findings: readonly Finding[];
}

/** The scripts of pages as JavaScript files in the same folder. */
async function packedScripts(
  bundler: Bundler,
  folder: string,
  names: readonly string[],
  existingFiles: readonly string[],
): Promise<PackedScripts> {
  const obstructed = names.filter((name) => existingFiles.includes(inJavaScript(name)));
  const compiled = await compilePageScripts(
    bundler,
    folder,
    names.filter((name) => !obstructed.includes(name)),
  );
  return {
    files: compiled.flatMap(({ name, code }) => (code === undefined ? [] : [textFile(inJavaScript(name), code)])),
    findings: [
      ...obstructed.map((name) => createFinding("pack-script", name, { file: inJavaScript(name) })),
      ...compiled.flatMap(({ findings }) => findings),
    ],
  };
}

/** Packs app/. Pages refer to the bundles instead of the TypeScript sources. */
export async function packAppFiles(bundler: Bundler, folder: string): Promise<PackedPart> {
  const { files, leftOut } = await walkFolder(folder, "app");
  const scripts = new Set<string>();
  const page = async (path: string): Promise<PackedFile> => {
    const original = await readPackedFile(folder, path);
    if (!/\.html?$/i.test(path)) return original;
    const text = await readPackedText(folder, path);
    for (const name of compiledScriptsOf(path, text)) scripts.add(name);
    const packedText = withPackedScripts(text);
    return packedText === text ? original : textFile(path, packedText);
  };
  const packed = await Promise.all(files.map(page));
  const bundles = await packedScripts(bundler, folder, [...scripts].sort(), files);
  return {
    files: [...packed, ...bundles.files],
    leftOut: leftOut.filter((path) => !scripts.has(path)),
    findings: bundles.findings,
  };
}
