import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memberOf } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { Boundary } from "../../sandbox/boundary.ts";
import { readAppFileText } from "../files/app-file.ts";
import { EXACT_VERSION, PACKAGE_NAME } from "../load/manifest-rules.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import type { Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import { installPackages, NpmFailed, type Dependency } from "./npm.ts";
import { readNpmrc } from "./npmrc.ts";
import { PackagesRefused } from "./package-tree.ts";

const jsonIn = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "null") as unknown;
  } catch {
    return undefined;
  }
};

/** Valid dependencies of manifest.json. Invalid dependencies are reported by the rules of the manifest. */
const declared = async (folder: string): Promise<Dependency[]> =>
  Object.entries(memberOf(jsonIn(await readAppFileText(folder, MANIFEST_FILE)), "dependencies") ?? {}).flatMap(
    ([name, version]: [string, unknown]) =>
      PACKAGE_NAME.test(name) && typeof version === "string" && EXACT_VERSION.test(version) ? [{ name, version }] : [],
  );

/** Whether code in the folder resolves the package to this exact version, in the folder itself or in a parent. */
async function isInstalled(folder: string, { name, version }: Dependency): Promise<boolean> {
  const file = join("node_modules", name, "package.json");
  const own = memberOf(jsonIn(await readAppFileText(folder, file)), "version");
  if (own !== undefined) return own === version;
  for (let above = dirname(await realpath(folder)); ; above = dirname(above)) {
    // Read without a link check: parent folders belong to the operator, who may have linked packages.
    const text = await readFile(join(above, file), "utf8").catch(() => undefined);
    const there = memberOf(jsonIn(text), "version");
    if (there !== undefined) return there === version;
    if (above === dirname(above)) return false;
  }
}

const listed = (wanted: readonly Dependency[]) => wanted.map(({ name, version }) => `${name}@${version}`).join(", ");

/**
 * Installs missing dependencies of manifest.json into the app's own node_modules.
 * -> findings for a failed installation, and for lines of the app's .npmrc that are ignored
 */
export async function ensureDependencies(boundary: Boundary, folder: string, log: Log): Promise<readonly Finding[]> {
  const all = await declared(folder);
  const isPresent = await Promise.all(all.map((dependency) => isInstalled(folder, dependency)));
  const missing = all.filter((_dependency, index) => !isPresent[index]);
  if (missing.length === 0) return [];
  const { settings, findings } = await readNpmrc(folder);
  log(`Installing ${listed(missing)} for the app …`);
  try {
    await installPackages(boundary, folder, { wanted: missing, settings });
  } catch (error) {
    if (!(error instanceof NpmFailed || error instanceof PackagesRefused)) throw error;
    return [
      ...findings,
      createFinding("dependency-install", MANIFEST_FILE, { packages: listed(missing), reason: error.message }),
    ];
  }
  log(`Installed ${listed(missing)}.`);
  return findings;
}
