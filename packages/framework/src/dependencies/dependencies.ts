import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXACT_VERSION } from "../project/manifest-rules.ts";
import { MANIFEST } from "../project/manifest.ts";
import type { Finding } from "../project/finding.ts";
import { found } from "../project/rules.ts";
import { installPackages, NpmFailed, type Dependency } from "./npm.ts";

/** As npm names packages; nothing that could be an option or a path. */
const NAME = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/i;

const jsonOf = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch {
    return undefined;
  }
};
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** What manifest.json asks for; what is wrong with it is said when it is read as a whole. */
const declared = async (folder: string): Promise<Dependency[]> =>
  Object.entries(memberOf(await jsonOf(join(folder, MANIFEST)), "dependencies") ?? {}).flatMap(
    ([name, version]: [string, unknown]) =>
      NAME.test(name) && typeof version === "string" && EXACT_VERSION.test(version) ? [{ name, version }] : [],
  );

/** Whether the code in the folder finds the package at this very version, here or further up. */
async function isInstalled(folder: string, { name, version }: Dependency): Promise<boolean> {
  const found = memberOf(await jsonOf(join(folder, "node_modules", name, "package.json")), "version");
  if (found !== undefined) return found === version;
  const above = dirname(folder);
  return above !== folder && isInstalled(above, { name, version });
}

const listed = (wanted: readonly Dependency[]) => wanted.map(({ name, version }) => `${name}@${version}`).join(", ");

/**
 * Installs the dependencies of manifest.json that the app's folder lacks, into its own node_modules. -> what is wrong, where
 * that can't be done
 */
export async function ensureDependencies(folder: string, log: (line: string) => void): Promise<Finding[]> {
  const all = await declared(folder);
  const there = await Promise.all(all.map((dependency) => isInstalled(folder, dependency)));
  const wanted = all.filter((_dependency, index) => !there[index]);
  if (wanted.length === 0) return [];
  log(`Installing ${listed(wanted)} for the app …`);
  try {
    await installPackages(folder, wanted);
  } catch (error) {
    if (!(error instanceof NpmFailed)) throw error;
    return [found("dependency-install", MANIFEST, { packages: listed(wanted), reason: error.message })];
  }
  log(`Installed ${listed(wanted)}.`);
  return [];
}
