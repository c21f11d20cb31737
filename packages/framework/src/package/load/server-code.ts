import type { Bundler } from "../bundler/bundler.ts";
import { readAppFileText } from "../files/app-file.ts";
import { bundleApp } from "./bundle.ts";
import type { Finding } from "../model/finding.ts";

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
