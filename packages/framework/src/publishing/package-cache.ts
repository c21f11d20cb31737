import type { AppDeclaration } from "@parley/contract";
import { realHostPorts, type HostPorts } from "../environment/ports.ts";
import type { Project } from "../model/project.ts";
import { unpackPackage } from "../package/pack/archive.ts";
import {
  makePackagesFolder,
  packagesFolder,
  placeCopy,
  removeAbandonedFolders,
  removeOldCopies,
} from "./package-folders.ts";
import { projectFromJson } from "./project-json.ts";
import type { PackageStore } from "./store.ts";

/** A published version, ready to run. */
interface RunnableVersion {
  readonly app: string;
  readonly version: string;
  readonly digest: string;
  readonly declaration: AppDeclaration;
  /** With its folder, an unpacked copy of the files. */
  readonly project: Project;
}

interface PackageCache {
  /** Makes a version ready to run; undefined if there is no such version. @errors ProjectFormatUnknown */
  version(app: string, version: string): Promise<RunnableVersion | undefined>;
}

/** Maximum size of the code that is kept in memory. @units characters */
const CACHED_CODE_MAX = 64 * 1024 * 1024;

interface PackageCacheOptions {
  /** The data folder: copies are unpacked below it. */
  readonly folder: string;
  readonly store: PackageStore;
  readonly ports?: HostPorts;
  /** @units characters */
  readonly cachedCodeMax?: number;
}

interface CachedVersion {
  readonly found: Promise<RunnableVersion | undefined>;
  /** 0 until it is known. @units characters */
  size: number;
}

/** Opens the copies of published versions in the data folder, and removes those that no version needs. */
export async function openPackageCache(options: PackageCacheOptions): Promise<PackageCache> {
  const { store, ports = realHostPorts, cachedCodeMax = CACHED_CODE_MAX } = options;
  const folder = packagesFolder(options.folder);
  await makePackagesFolder(folder);
  await removeAbandonedFolders(folder, ports.now());
  await removeOldCopies(folder, await store.digests());
  /** The least recently used version first. */
  const cached = new Map<string, CachedVersion>();

  const evict = (): void => {
    let size = [...cached.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [key, one] of cached) {
      if (size <= cachedCodeMax || cached.size === 1) return;
      cached.delete(key);
      size -= one.size;
    }
  };

  const open = async (app: string, version: string, setSize: (size: number) => void) => {
    const row = await store.versionWithCode(app, version);
    const archive = row && (await store.files(app, version));
    if (!row || !archive) return undefined;
    const { digest, declaration, project } = row;
    const copy = await placeCopy(folder, digest, await unpackPackage(archive), ports);
    setSize(project.length);
    return {
      app,
      version,
      digest,
      declaration,
      project: projectFromJson(project, copy, `Version ${version} of ${app}`),
    };
  };

  return {
    version(app, version) {
      // A line feed occurs in neither of the names.
      const key = `${app}\n${version}`;
      const known = cached.get(key);
      if (known) {
        cached.delete(key);
        cached.set(key, known);
        return known.found;
      }
      const one: CachedVersion = { size: 0, found: open(app, version, (size) => (one.size = size)) };
      cached.set(key, one);
      const forget = () => {
        if (cached.get(key) === one) cached.delete(key);
      };
      // An unknown version may be published later, and a failure may pass.
      one.found.then((found) => (found ? evict() : forget()), forget);
      return one.found;
    },
  };
}
