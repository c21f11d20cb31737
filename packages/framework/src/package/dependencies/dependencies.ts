import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memberOf } from "@parley/contract";
import type { Boundary } from "../../sandbox/boundary.ts";
import { readAppFileText } from "../files/app-file.ts";
import { EXACT_VERSION } from "../load/manifest-rules.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import type { Finding } from "../model/finding.ts";
import { found } from "../model/rules.ts";
import { installPackages, NpmFailed, type Dependency } from "./npm.ts";
import { readNpmrc } from "./npmrc.ts";
import { PACKAGE_NAME, PackagesRefused } from "./package-tree.ts";

const jsonIn = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "null") as unknown;
  } catch {
    return undefined;
  }
};

/** What manifest.json asks for; what is wrong with it is said when it is read as a whole. */
const declared = async (folder: string): Promise<Dependency[]> =>
  Object.entries(memberOf(jsonIn(await readAppFileText(folder, MANIFEST_FILE)), "dependencies") ?? {}).flatMap(
    ([name, version]: [string, unknown]) =>
      PACKAGE_NAME.test(name) && typeof version === "string" && EXACT_VERSION.test(version) ? [{ name, version }] : [],
  );

/** Whether the code in the folder finds the package at this very version, in it or further up. */
async function isInstalled(folder: string, { name, version }: Dependency): Promise<boolean> {
  const file = join("node_modules", name, "package.json");
  const own = memberOf(jsonIn(await readAppFileText(folder, file)), "version");
  if (own !== undefined) return own === version;
  for (let above = dirname(await realpath(folder)); ; above = dirname(above)) {
    // The operator's, who may have linked it.
    const text = await readFile(join(above, file), "utf8").catch(() => undefined);
    const there = memberOf(jsonIn(text), "version");
    if (there !== undefined) return there === version;
    if (above === dirname(above)) return false;
  }
}

const listed = (wanted: readonly Dependency[]) => wanted.map(({ name, version }) => `${name}@${version}`).join(", ");

/**
 * Installs the dependencies of manifest.json that the app's folder lacks, into its own node_modules. -> what is wrong, where
 * that can't be done, and what of the app's .npmrc is not read
 */
export async function ensureDependencies(
  boundary: Boundary,
  folder: string,
  log: (line: string) => void,
): Promise<readonly Finding[]> {
  const all = await declared(folder);
  const there = await Promise.all(all.map((dependency) => isInstalled(folder, dependency)));
  const wanted = all.filter((_dependency, index) => !there[index]);
  if (wanted.length === 0) return [];
  const { settings, findings } = await readNpmrc(folder);
  log(`Installing ${listed(wanted)} for the app …`);
  try {
    await installPackages(boundary, folder, { wanted, settings });
  } catch (error) {
    if (!(error instanceof NpmFailed || error instanceof PackagesRefused)) throw error;
    return [
      ...findings,
      found("dependency-install", MANIFEST_FILE, { packages: listed(wanted), reason: error.message }),
    ];
  }
  log(`Installed ${listed(wanted)}.`);
  return findings;
}
