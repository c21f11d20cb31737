import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, basename } from "node:path";
import { isInside, appFilePath } from "../files/app-file.ts";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { builtFile } from "../../environment/assets.ts";
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

/** Where the links of a `node_modules` folder lead, those of scopes too. */
async function linksIn(home: string): Promise<string[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const scopes = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith("@"));
  const targets = await Promise.all(
    entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => realpath(join(home, name)).catch(() => undefined)),
  );
  const below = await Promise.all(scopes.map(({ name }) => linksIn(join(home, name))));
  return [...targets.filter((target) => target !== undefined), ...below.flat()];
}

/**
 * Folders outside an app's folder that packages of its code may lie in: `node_modules` of each folder above it, which
 * belong to the operator of the machine, and what the operator has linked there, with the packages that it finds in turn.
 */
async function packageFolders(folder: string): Promise<string[]> {
  const found = new Set<string>();
  const add = async (above: string): Promise<void> => {
    for (let at = dirname(above); ; at = dirname(at)) {
      const home = join(at, "node_modules");
      if (!isInside(folder, home) && (await isFolder(home))) await addHome(home);
      if (at === dirname(at)) return;
    }
  };
  const addHome = async (home: string): Promise<void> => {
    if (found.has(home)) return;
    found.add(home);
    // A folder that is a link is there under both names.
    found.add(await realpath(home));
    for (const target of await linksIn(home)) {
      // A link to the app's folder, or to one that holds it, would open all that lies beside the app.
      if (isInside(folder, target) || isInside(target, folder) || found.has(target)) continue;
      found.add(target);
      await add(target);
    }
  };
  await add(folder);
  return [...found];
}

export { BundlingFailed } from "./bundler-process.ts";

/** A file to be bundled; the bundler knows where packages lie. */
export type BundleRequest = Omit<BundleJob, "kind" | "packageFolders">;

/** Runs esbuild in processes that see the app's folder, the packages above it and nothing else of the machine. */
export interface Bundler {
  /** @shape folder: any path of the app's folder; inputs of the answer are told from its real path. @errors BundlingFailed */
  bundle(request: BundleRequest): Promise<BundlerAnswer>;
  /** Parses a text of an app. @errors BundlingFailed */
  checkSyntax(folder: string, request: Omit<SyntaxJob, "kind">): Promise<BundlerAnswer>;
  /** Starts a folder's process, so that its first bundle need not wait; trouble shows with that. */
  warm(folder: string): void;
  close(): void;
}

const LIMITS: ResourceLimits = { dataMb: 2_048, openFiles: 1_024, processorSeconds: 600, fileMb: 1 };
const HEAP_MB = 512;
/** A process that nobody asked for so long is ended. */
const IDLE_MS = 60_000;
/** How long the folders of packages are not looked for again. */
const PACKAGES_KNOWN_MS = 500;
/** Processes that are kept at once, each for a folder of its own. */
const MAX_PROCESSES = 3;

/** Folders of esbuild itself and of its program for this machine. */
async function esbuildFolders(): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const library = dirname(dirname(require.resolve("esbuild")));
  const program = dirname(
    createRequire(join(library, "package.json")).resolve(`@esbuild/${process.platform}-${process.arch}/package.json`),
  );
  const folders = [library, program];
  return [...new Set([...folders, ...(await Promise.all(folders.map((folder) => realpath(folder))))])];
}

/** A folder or file that takes the place of another one has another identity: what a process sees was bound by what it was, not by its name. */
function identityOf(path: string): string {
  // Each takes some microseconds: less than a turn of the event loop, and there are many for each bundle.
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
  return `${path} ${dev} ${ino}`;
}

/** What of an app's folder the bundler sees: a hidden file or folder is not part of the app. */
async function visibleParts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const shown = entries.filter(({ name }) => !name.startsWith("."));
  const parts = await Promise.all(
    // What is made visible is what a link leads to.
    shown.map(async (entry) =>
      !entry.isSymbolicLink() || (await appFilePath(folder, entry.name)) ? [entry.name] : [],
    ),
  );
  return parts
    .flat()
    .sort()
    .map((name) => join(folder, name));
}

/** Who reads an app's folder where the host is root: the usual other user, else who owns it, else the host's own. */
async function readerOf(folder: string, program: string): Promise<ProgramUser | undefined> {
  const root = rootUser();
  if (!root || !(await isOpenToAll(dirname(program)))) return root;
  if (await isOpenToAll(folder)) return undefined;
  const owner = await stat(folder);
  return { uid: owner.uid, gid: owner.gid };
}

interface Kept {
  readonly key: string;
  readonly process: BundlerProcess;
  idle?: NodeJS.Timeout;
}

export function createBundler({ start }: Pick<Boundary, "start">): Bundler {
  let kept: Kept[] = [];
  const program = builtFile("bundler-program.cjs");
  const tool = esbuildFolders();
  const packages = new Map<string, Promise<string[]>>();
  tool.catch(() => undefined);

  /** A load of an app asks a few times at once. */
  const packagesAbove = (folder: string): Promise<string[]> => {
    const found = packages.get(folder) ?? packageFolders(folder);
    if (!packages.has(folder)) setTimeout(() => packages.delete(folder), PACKAGES_KNOWN_MS).unref();
    packages.set(folder, found);
    return found;
  };
  const drop = (one: Kept) => {
    clearTimeout(one.idle);
    kept = kept.filter((other) => other !== one);
    one.process.end();
  };
  const started = async (folder: string, above: readonly string[]): Promise<Kept> => {
    const readOnly = [...(await visibleParts(folder)), ...above];
    const key = [folder, ...readOnly].map(identityOf).join("\n");
    const known = kept.find((one) => one.key === key && one.process.isAlive());
    if (known) return known;
    const [toolFolders, user] = await Promise.all([tool, readerOf(folder, program)]);
    const same = kept.find((one) => one.key === key && one.process.isAlive());
    if (same) return same;
    const child = start({
      args: [`--max-old-space-size=${HEAP_MB}`, "--no-warnings", program],
      readOnly: [...readOnly, program, ...toolFolders],
      // esbuild looks for a package in the list of what a folder holds.
      listed: [folder, ...above.filter((path) => basename(path) === "node_modules").map((home) => dirname(home))],
      isTool: true,
      limits: LIMITS,
      ...(user && { user }),
    });
    const one: Kept = { key, process: bundlerProcess(child, endProgram) };
    for (const other of kept.filter(({ process }) => !process.isAlive())) drop(other);
    for (const other of kept.filter(({ process }) => process.load() === 0).slice(0, kept.length + 1 - MAX_PROCESSES))
      drop(other);
    kept.push(one);
    return one;
  };
  /** Ends a process that nobody asks for. */
  const rest = (one: Kept) => {
    clearTimeout(one.idle);
    one.idle = setTimeout(() => drop(one), IDLE_MS).unref();
  };
  const run = async (folder: string, above: readonly string[], job: BundleJob | SyntaxJob) => {
    const one = await started(folder, above);
    clearTimeout(one.idle);
    try {
      return await one.process.run(job);
    } finally {
      rest(one);
    }
  };

  return {
    warm(folder) {
      const start = async () => {
        const real = await realpath(folder);
        rest(await started(real, await packagesAbove(real)));
      };
      start().catch(() => undefined);
    },
    async bundle(request) {
      const folder = await realpath(request.folder);
      const above = await packagesAbove(folder);
      return run(folder, above, { ...request, kind: "bundle", folder, packageFolders: above });
    },
    async checkSyntax(given, request) {
      const folder = await realpath(given);
      return run(folder, await packagesAbove(folder), { ...request, kind: "syntax" });
    },
    close() {
      for (const one of [...kept]) drop(one);
    },
  };
}
