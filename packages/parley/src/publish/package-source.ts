import { readFile, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import {
  createProjectTools,
  ensureDependencies,
  type Finding,
  findBoundary,
  isRunnable,
  packageInfoOf,
  type PackageInfo,
  PackageRefused,
  packProject,
  unpackPackage,
} from "@parley/framework/authoring";
import { isRefusal, PACKAGE_BYTES_MAX } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { appFolder } from "../input/app-folder.ts";
import { printable } from "../output/table.ts";

/** A package to publish, or the findings that prevent it. */
interface PackageSource extends PackageInfo {
  readonly archive?: Uint8Array<ArrayBuffer>;
  readonly findings: readonly Finding[];
}

/** @errors CommandFailure for a package.json that is not JSON */
const infoOf = (files: Parameters<typeof packageInfoOf>[0]): PackageInfo => {
  try {
    return packageInfoOf(files);
  } catch (error) {
    if (isRefusal(error)) throw new CommandFailure(error.message);
    throw error;
  }
};

/**
 * Packs an app's folder, after its missing dependencies are installed as by `parley run`. Name and version are those of its package.json;
 * otherwise the folder's name, and no version.
 */
const fromFolder = async (dir: string, progress: (line: string) => void): Promise<PackageSource> => {
  const folder = await appFolder(dir);
  const bytes = await readFile(join(folder, "package.json")).catch(() => undefined);
  const info = infoOf(bytes ? [{ path: "package.json", bytes }] : []);
  const named = { name: basename(folder), ...info };
  const installed = await ensureDependencies(await findBoundary(), folder, progress);
  if (!isRunnable(installed)) return { ...named, findings: installed };
  const { package: packed, findings } = await packProject(folder, await createProjectTools());
  return {
    ...named,
    findings: [...installed, ...findings],
    ...(packed && { archive: new Uint8Array(packed.zip) }),
  };
};

const readPackage = async (file: string): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    const { size } = await stat(file);
    if (size > PACKAGE_BYTES_MAX)
      throw new CommandFailure(
        `${printable(file)} is too large: a package has at most ${PACKAGE_BYTES_MAX.toLocaleString("en-US")} bytes. Remove files that the app does not need.`,
      );
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${printable(file)} can't be read (${code}). Name a package that this user may read.`);
  }
};

/** Reads a package, which is published as it is. Its name is that in its package.json, otherwise the file's name. */
const fromPackage = async (file: string): Promise<PackageSource> => {
  const archive = await readPackage(file);
  try {
    const info = infoOf(await unpackPackage(archive));
    return { name: basename(file, extname(file)), ...info, archive, findings: [] };
  } catch (error) {
    if (error instanceof PackageRefused)
      throw new CommandFailure(`${printable(file)} can't be published. ${printable(error.message)}`);
    throw error;
  }
};

/** @shape path: folder of an app, or a package; progress: receives lines about the installation of dependencies @errors CommandFailure */
export const packageSource = async (path: string, progress: (line: string) => void): Promise<PackageSource> => {
  const full = resolve(path);
  const isFile = await stat(full).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile || extname(full).toLowerCase() === ".zip" ? fromPackage(full) : fromFolder(full, progress);
};
