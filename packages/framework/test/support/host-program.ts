import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface HostProgram {
  /** Path of the bundled module that Node runs. */
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Bundles a host that a test starts as a separate process in order to kill it. Its source is TypeScript with imports relative to this
 * folder.
 */
export async function hostProgram(text: string): Promise<HostProgram> {
  // Beside `src`: the bundle resolves the files that the framework reads at run time from there.
  const folder = await mkdtemp(fileURLToPath(new URL("../../test-host-", import.meta.url)));
  const path = join(folder, "host.mjs");
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  await build({
    stdin: { contents: text, resolveDir, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["parley-source"],
    packages: "external",
    outfile: path,
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
