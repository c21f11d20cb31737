import { readFile, realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Plugin } from "esbuild";
import { bundle } from "./bundle.ts";
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

/** Gives a file what it set for the variable; one that set module.exports, or its members, keeps that. */
const END = `if (typeof module.exports === "object" && module.exports && Object.keys(module.exports).length === 0) module.exports = exports;`;

/** Lets each of the app's own files set the variable `exports`, not only the first one. */
export const assignedExports = (folder: string): Plugin => ({
  name: "assigned-exports",
  async setup(builder) {
    const home = (await realpath(folder)) + sep;
    builder.onLoad({ filter: /\.c?js$/, namespace: "file" }, async ({ path }) => {
      if (!path.startsWith(home) || path.includes(`${sep}node_modules${sep}`)) return undefined;
      const text = await readFile(path, "utf8");
      return ASSIGNS_EXPORTS.test(text) ? { contents: `${text}\n${END}`, loader: "default" } : undefined;
    });
  },
});

/** The first of the files that is there. */
export async function firstOf(folder: string, files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if ((await readText(folder, file)) !== undefined) return file;
  return undefined;
}

/** Bundles the handlers with their own files and packages; Node's own modules stay outside. */
export async function serverCode(folder: string, more: readonly Plugin[] = []): Promise<Code> {
  const entry = await firstOf(folder, ENTRIES);
  if (!entry) return { code: "", findings: [] };
  const plugins = [...more, assignedExports(folder)];
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
