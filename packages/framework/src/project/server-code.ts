import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundle, withEnd } from "./bundle.ts";
import type { Finding } from "./finding.ts";
import { readText } from "./json.ts";

export interface Code {
  readonly code: string;
  /** Source map of the code; sources are named from the app's folder. */
  readonly map?: string;
  readonly findings: readonly Finding[];
}

export const ENTRIES = ["server/server.ts", "server/server.js"];
/** As the field's apps do it: a new object for the variable `exports`, which a module wrapper would not see. */
export const ASSIGNS_EXPORTS = /(?:^|[^.\w$])exports\s*=(?!=)/;

/** The first of the files that is there. */
export async function firstOf(folder: string, files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if ((await readText(folder, file)) !== undefined) return file;
  return undefined;
}

/** Bundles the handlers with their own files and packages; Node's own modules stay outside. */
export async function serverCode(folder: string, more: readonly Plugin[] = []): Promise<Code> {
  const entry = await firstOf(folder, ENTRIES);
  if (!entry) return { code: "", findings: [] };
  const end = (text: string) => (ASSIGNS_EXPORTS.test(text) ? "module.exports = exports;" : "");
  const plugins = [...more, ...(entry.endsWith(".js") ? [withEnd(join(folder, entry), end)] : [])];
  const { code, map, findings } = await bundle(folder, entry, {
    platform: "node",
    format: "cjs",
    plugins,
    outdir: ".",
    sourcemap: "external",
    sourcesContent: false,
  });
  return { code: code ?? "", findings, ...(map === undefined ? {} : { map }) };
}
