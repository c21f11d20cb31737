import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, basename } from "node:path";
import { isInside, appFilePath } from "../files/app-file.ts";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { builtFile, packageFile } from "../../environment/assets.ts";
import { bundlerProcess, type BundlerProcess } from "./bundler-process.ts";
import type { BundleJob, BundlerAnswer, SyntaxJob } from "./job.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import {
  endProgram,
  type ResourceLimits,
  type ProgramUser,
  isOpenToAll,
  rootUser,
} from "../../sandbox/confined-program.ts";

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Targets of the symbolic links in a `node_modules` folder, including scoped packages. */
async function linksIn(packagesFolder: string): Promise<string[]> {
  const entries = await readdir(packagesFolder, { withFileTypes: true }).catch(() => []);
  const scopes = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith("@"));
  const targets = await Promise.all(
    entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => realpath(join(packagesFolder, name)).catch(() => undefined)),
  );
  const below = await Promise.all(scopes.map(({ name }) => linksIn(join(packagesFolder, name))));
  return [...targets.filter((target) => target !== undefined), ...below.flat()];
}

/**
 * Folders outside an app's folder from which its code may import packages: `node_modules` of each parent folder, which belong to the operator
 * of the machine, and packages that the operator has linked there, with the packages that these resolve in turn.
 */
async function packageFolders(folder: string): Promise<string[]> {
  const found = new Set<string>();
  const add = async (above: string): Promise<void> => {
    for (let at = dirname(above); ; at = dirname(at)) {
      const packagesFolder = join(at, "node_modules");
      if (!isInside(folder, packagesFolder) && (await isFolder(packagesFolder)))
        await addPackagesFolder(packagesFolder);
      if (at === dirname(at)) return;
    }
  };
  const addPackagesFolder = async (packagesFolder: string): Promise<void> => {
    if (found.has(packagesFolder)) return;
    found.add(packagesFolder);
    // A linked folder is visible under both names.
    found.add(await realpath(packagesFolder));
    for (const target of await linksIn(packagesFolder)) {
      // A link to the app's folder or to a parent of it would expose all files beside the app.
      if (isInside(folder, target) || isInside(target, folder) || found.has(target)) continue;
      found.add(target);
      await add(target);
    }
  };
  await add(folder);
  return [...found];
}

export { BundlingFailed } from "./bundler-process.ts";

/** A bundle job without the package folders, which the bundler determines. */
export type BundleRequest = Omit<BundleJob, "kind" | "packageFolders">;

/** Runs esbuild in confined processes that can read the app's folder and the packages above it, and nothing else of the machine. */
export interface Bundler {
  /** @shape folder: any path of the app's folder; inputs of the answer are relative to its real path. @errors BundlingFailed */
  bundle(request: BundleRequest): Promise<BundlerAnswer>;
  /** Checks the syntax of a text. @errors BundlingFailed */
  checkSyntax(folder: string, request: Omit<SyntaxJob, "kind">): Promise<BundlerAnswer>;
  /** Starts the process of a folder in advance. A failure is reported by the first job. */
  warm(folder: string): void;
  close(): void;
}

const LIMITS: ResourceLimits = { dataMb: 2_048, openFiles: 1_024, processorSeconds: 600, fileMb: 1 };
const HEAP_MB = 512;
/** A process without jobs is ended after this time. */
const IDLE_TIMEOUT_MS = 60_000;
/** Lifetime of the cached list of package folders. */
const PACKAGE_FOLDERS_TTL_MS = 500;
/** Maximum number of processes, each for a different folder. */
const PROCESSES_MAX = 3;

/** Folders of the esbuild package and of its executable for this machine. */
async function esbuildFolders(): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const library = dirname(dirname(require.resolve("esbuild")));
  const program = dirname(
    createRequire(join(library, "package.json")).resolve(`@esbuild/${process.platform}-${process.arch}/package.json`),
  );
  const folders = [library, program];
  return [...new Set([...folders, ...(await Promise.all(folders.map((folder) => realpath(folder))))])];
}

/** Identifies a file or folder by device and inode, since a process keeps the files that were mounted, even if another file takes over the name. */
function identityOf(path: string): string {
  // Synchronous: a call takes microseconds, less than a turn of the event loop, and each bundle makes many.
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
  return `${path} ${dev} ${ino}`;
}

/** Top-level entries of an app's folder that are visible to the bundler. Hidden files and folders are not part of an app. */
async function visibleParts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const visibleEntries = entries.filter(({ name }) => !name.startsWith("."));
  const parts = await Promise.all(
    // Making a link visible exposes its target.
    visibleEntries.map(async (entry) =>
      !entry.isSymbolicLink() || (await appFilePath(folder, entry.name)) ? [entry.name] : [],
    ),
  );
  return parts
    .flat()
    .sort()
    .map((name) => join(folder, name));
}

/**
 * User for reading an app's folder if the host is root: the default unprivileged user if the folder is readable for it, else the folder's owner.
 * Root is used if other users cannot read the program.
 */
async function readerUser(folder: string, program: string): Promise<ProgramUser | undefined> {
  const root = rootUser();
  if (!root || !(await isOpenToAll(dirname(program)))) return root;
  if (await isOpenToAll(folder)) return undefined;
  const owner = await stat(folder);
  return { uid: owner.uid, gid: owner.gid };
}

interface PooledProcess {
  readonly key: string;
  readonly process: BundlerProcess;
  idle?: NodeJS.Timeout;
}

export function createBundler({ start }: Pick<Boundary, "start">): Bundler {
  let pool: PooledProcess[] = [];
  const program = builtFile("bundler-program.cjs");
  const tool = esbuildFolders();
  const packages = new Map<string, Promise<string[]>>();
  tool.catch(() => undefined);

  /** Cached, because loading an app requests it several times at once. */
  const packagesAbove = (folder: string): Promise<string[]> => {
    const found = packages.get(folder) ?? packageFolders(folder);
    if (!packages.has(folder)) setTimeout(() => packages.delete(folder), PACKAGE_FOLDERS_TTL_MS).unref();
    packages.set(folder, found);
    return found;
  };
  const drop = (one: PooledProcess) => {
    clearTimeout(one.idle);
    pool = pool.filter((other) => other !== one);
    one.process.end();
  };
  const started = async (folder: string, above: readonly string[]): Promise<PooledProcess> => {
    const readOnly = [...(await visibleParts(folder)), ...above];
    const key = [folder, ...readOnly].map(identityOf).join("\n");
    const running = pool.find((one) => one.key === key && one.process.isAlive());
    if (running) return running;
    const [toolFolders, user] = await Promise.all([tool, readerUser(folder, program)]);
    const startedMeanwhile = pool.find((one) => one.key === key && one.process.isAlive());
    if (startedMeanwhile) return startedMeanwhile;
    const child = start({
      args: [`--max-old-space-size=${HEAP_MB}`, "--no-warnings", program],
      // Since Node 24, a package.json that exists and can't be read is an error.
      readOnly: [...readOnly, program, packageFile, ...toolFolders],
      // esbuild finds a package in the directory listing of its parent.
      listed: [
        folder,
        ...above.filter((path) => basename(path) === "node_modules").map((packagesFolder) => dirname(packagesFolder)),
      ],
      isTool: true,
      limits: LIMITS,
      ...(user && { user }),
    });
    const one: PooledProcess = { key, process: bundlerProcess(child, endProgram) };
    for (const other of pool.filter(({ process }) => !process.isAlive())) drop(other);
    for (const other of pool
      .filter(({ process }) => process.runningJobs() === 0)
      .slice(0, pool.length + 1 - PROCESSES_MAX))
      drop(other);
    pool.push(one);
    return one;
  };
  /** Ends the process when it has been idle for too long. */
  const endWhenIdle = (one: PooledProcess) => {
    clearTimeout(one.idle);
    one.idle = setTimeout(() => drop(one), IDLE_TIMEOUT_MS).unref();
  };
  const run = async (folder: string, above: readonly string[], job: BundleJob | SyntaxJob) => {
    const one = await started(folder, above);
    clearTimeout(one.idle);
    try {
      return await one.process.run(job);
    } finally {
      endWhenIdle(one);
    }
  };

  return {
    warm(folder) {
      const start = async () => {
        const real = await realpath(folder);
        endWhenIdle(await started(real, await packagesAbove(real)));
      };
      start().catch(() => undefined);
    },
    async bundle(request) {
      const folder = await realpath(request.folder);
      const above = await packagesAbove(folder);
      return run(folder, above, { ...request, kind: "bundle", folder, packageFolders: above });
    },
    async checkSyntax(anyPath, request) {
      const folder = await realpath(anyPath);
      return run(folder, await packagesAbove(folder), { ...request, kind: "syntax" });
    },
    close() {
      for (const one of [...pool]) drop(one);
    },
  };
}
