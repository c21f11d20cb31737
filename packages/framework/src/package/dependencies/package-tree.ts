import { copyFile, chmod, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { memberOf, urlOf } from "@parley/contract";
import { EXACT_VERSION, PACKAGE_NAME } from "../load/manifest-rules.ts";

const NESTED_FOLDER = /(?:^|\/)node_modules\//;

/** npm's result may not be installed. The message is a reason for use in a finding. */
export class PackagesRefused extends Error {
  override readonly name = "PackagesRefused";
}

/**
 * Checks npm's lockfile: each package must come from an allowed registry, under its own name.
 * @shape registries: URLs, compared by origin, because registries store archives under other paths
 * @errors PackagesRefused
 */
export function checkLock(lock: unknown, registries: readonly string[]): void {
  const origins = new Set(registries.map((address) => new URL(address).origin));
  const entries = Object.entries(memberOf(lock, "packages") ?? {}).filter(([path]) => path !== "");
  if (entries.length === 0) throw new PackagesRefused("npm did not say what it installed");
  for (const [path, entry] of entries) {
    const name = path.split(NESTED_FOLDER).at(-1) ?? "";
    function refusePackage(reason: string): never {
      throw new PackagesRefused(`${PACKAGE_NAME.test(name) ? name : "a package"} ${reason}`);
    }
    const [version, resolved] = [memberOf(entry, "version"), memberOf(entry, "resolved")];
    if (!path.startsWith("node_modules/") || !PACKAGE_NAME.test(name)) refusePackage("has an invalid name");
    if (memberOf(entry, "link") === true) refusePackage("is a link to a folder");
    if (memberOf(entry, "name") !== undefined) refusePackage("stands in for a package of another name");
    if (typeof version !== "string" || !EXACT_VERSION.test(version)) refusePackage("does not come from a registry");
    // A bundled dependency is part of the archive of the package that contains it.
    if (memberOf(entry, "inBundle") === true && resolved === undefined) continue;
    const source = typeof resolved === "string" && /^https?:/.test(resolved) ? urlOf(resolved) : undefined;
    if (!source) refusePackage("does not come from a registry");
    if (!origins.has(source.origin)) refusePackage(`comes from ${source.host}, which is not a registry of the app`);
    if (typeof memberOf(entry, "integrity") !== "string") refusePackage("has no checksum");
  }
}

/** Limits for all packages of an app together. */
const FILES_MAX = 50_000;
const BYTES_MAX = 512 * 1024 * 1024;
const FILE_MODE = 0o644;

/**
 * Copies folders and regular files.
 * @errors PackagesRefused for a link or a special file, and above the limits
 */
export async function copyTree(from: string, to: string): Promise<void> {
  let files = 0;
  let bytes = 0;
  const copy = async (source: string, target: string): Promise<void> => {
    const { size, ...entry } = await lstat(source).then((found) => ({
      size: found.size,
      isFile: found.isFile(),
      isFolder: found.isDirectory(),
    }));
    if (!entry.isFile && !entry.isFolder) throw new PackagesRefused("they hold a link or a special file");
    files += 1;
    bytes += entry.isFile ? size : 0;
    if (files > FILES_MAX) throw new PackagesRefused(`they are more than ${FILES_MAX} files`);
    if (bytes > BYTES_MAX) throw new PackagesRefused(`they are larger than ${BYTES_MAX / 1024 / 1024} MB`);
    if (entry.isFile) {
      await copyFile(source, target);
      return chmod(target, FILE_MODE);
    }
    await mkdir(target, { recursive: true });
    for (const name of await readdir(source)) await copy(join(source, name), join(target, name));
  };
  await copy(from, to);
}
