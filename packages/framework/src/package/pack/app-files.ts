import { posix } from "node:path";
import type { Bundler } from "../bundler/bundler.ts";
import { stableBundle } from "../load/bundle.ts";
import type { Finding } from "../model/finding.ts";
import { createFinding } from "../model/rules.ts";
import type { PackedPart } from "./server-file.ts";
import { readPackedFile, textFile, readPackedText, walkFolder, type PackedFile } from "../files/app-file.ts";

/** Matches a page's reference to a script of the app in TypeScript or JSX. */
const SCRIPT_REFERENCE =
  /(<script\b[^>]*?\bsrc\s*=\s*["']?)(?!\w+:|\/)([^"'?#>=]+?\.(?:ts|[jt]sx))((?:[?#][^"'\s>]*)?(?=["'\s>]))/gi;

/** Bundle format of TypeScript in pages, packed or served. */
export const PAGE_SCRIPT = { platform: "browser", format: "iife" } as const;

interface PackedScripts {
  readonly files: readonly PackedFile[];
  readonly findings: readonly Finding[];
}

const inJavaScript = (path: string): string => path.replace(/\.(?:ts|[jt]sx)$/i, ".js");

/** Bundles the TypeScript and JSX scripts of pages into JavaScript files in the same folder. */
async function packedScripts(
  bundler: Bundler,
  folder: string,
  names: readonly string[],
  existingFiles: readonly string[],
): Promise<PackedScripts> {
  const bundles = await Promise.all(
    names.map(async (name) => {
      const path = inJavaScript(name);
      if (existingFiles.includes(path)) return { findings: [createFinding("pack-script", name, { file: path })] };
      const { code, findings } = await stableBundle(bundler, { folder, file: name, ...PAGE_SCRIPT });
      return { findings, ...(code === undefined ? {} : { file: textFile(path, code) }) };
    }),
  );
  return {
    files: bundles.flatMap(({ file }) => (file ? [file] : [])),
    findings: bundles.flatMap(({ findings }) => findings),
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
    const names = [...text.matchAll(SCRIPT_REFERENCE)].map(([, , name = ""]) => posix.join(posix.dirname(path), name));
    for (const name of names) if (name.startsWith("app/")) scripts.add(name);
    return names.length > 0
      ? textFile(
          path,
          text.replace(
            SCRIPT_REFERENCE,
            (_tag, before: string, name: string, rest: string) => before + inJavaScript(name) + rest,
          ),
        )
      : original;
  };
  const packed = await Promise.all(files.map(page));
  const bundles = await packedScripts(bundler, folder, [...scripts].sort(), files);
  return {
    files: [...packed, ...bundles.files],
    leftOut: leftOut.filter((path) => !scripts.has(path)),
    findings: bundles.findings,
  };
}
