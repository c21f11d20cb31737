import { chown, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { appFilePath } from "../files/app-file.ts";
import { nobodyUser, type Boundary } from "../../sandbox/boundary.ts";
import {
  endProgram,
  type ResourceLimits,
  type ProgramUser,
  isOpenToAll,
  rootUser,
} from "../../sandbox/confined-program.ts";
import { npmFiles, npmProgram, operatorSettings } from "./npm-program.ts";
import type { NpmSettings } from "./npmrc.ts";
import { checkLock, copyTree, PackagesRefused } from "./package-tree.ts";

/** A package at an exact version. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
}

/** The installation failed. The message is npm's own. */
export class NpmFailed extends Error {
  override readonly name = "NpmFailed";
}

const LIMITS: ResourceLimits = { dataMb: 4_096, openFiles: 4_096, processorSeconds: 300, fileMb: 512 };
const INSTALL_TIMEOUT_MS = 180_000;
const REPORT_LENGTH_MAX = 4_000;

/**
 * Disables scripts and command links. Nested installation keeps each package with its own dependencies in one folder that can be moved. Only
 * registries are allowed as sources; the result is checked as well, because older versions of npm ignore some `--allow-…` options.
 */
const FLAGS = [
  ..."--ignore-scripts --no-bin-links --install-strategy=nested --install-links=false --package-lock".split(" "),
  ..."--omit=dev --no-audit --no-fund --no-progress --no-update-notifier --loglevel=error --logs-max=0".split(" "),
  ..."--allow-git=none --allow-remote=none --allow-file=none --allow-directory=none --git=/nonexistent".split(" "),
  ..."--no-omit-lockfile-registry-resolved --no-color --no-workspaces --fetch-retries=1".split(" "),
  ..."--fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=2000 --fetch-timeout=60000".split(" "),
];

/** The most informative line of npm's error output. */
const reasonIn = (output: string): string => {
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("npm error"))
    .map((line) => line.replace(/^npm error\s*/, ""));
  return lines.find((line) => line !== "" && !/^(?:code|errno|syscall|type)\b/.test(line)) ?? "npm failed";
};

/** Paths in the temporary folder of an installation. */
const installPaths = (base: string) => ({
  project: join(base, "project"),
  home: join(base, "home"),
  cache: join(base, "cache"),
  config: join(base, "npmrc"),
});
type InstallPaths = ReturnType<typeof installPaths>;

/** Runs npm with access to the network and the temporary folder only. @errors NpmFailed */
function runNpm(
  { start }: Boundary,
  { base, program, user }: { readonly base: string; readonly program: string; readonly user: ProgramUser | undefined },
): Promise<void> {
  const { project, home: packagesFolder, cache, config } = installPaths(base);
  const own = [`--prefix=${project}`, `--cache=${cache}`, `--userconfig=${config}`];
  const child = start({
    args: [program, "install", ...FLAGS, ...own, `--globalconfig=${join(base, "none")}`],
    readOnly: npmFiles(program),
    writable: [base],
    hasNetwork: true,
    isTool: true,
    environment: { HOME: packagesFolder, TMPDIR: packagesFolder },
    limits: LIMITS,
    ...(user && { user }),
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NpmFailed(`npm took longer than ${INSTALL_TIMEOUT_MS / 1000} seconds`));
      endProgram(child);
    }, INSTALL_TIMEOUT_MS);
    let output = "";
    for (const stream of child.stdio) stream?.on("error", () => undefined);
    child.stdin?.end();
    (child.stdout as Readable).resume();
    (child.stderr as Readable)
      .setEncoding("utf8")
      .on("data", (text: string) => (output = (output + text).slice(-REPORT_LENGTH_MAX)));
    child.once("error", (error) => reject(new NpmFailed(`npm can't be started: ${error.message}`)));
    child.once("close", (status) => {
      clearTimeout(timer);
      endProgram(child);
      if (status === 0) resolve();
      else reject(new NpmFailed(reasonIn(output)));
    });
  });
}

/** Writes npm's input files. -> the registries that npm may use. @errors NpmFailed if no registry is configured */
async function prepare(places: InstallPaths, wanted: readonly Dependency[], settings: NpmSettings): Promise<string[]> {
  const { project, home: packagesFolder, cache, config } = places;
  for (const folder of [project, packagesFolder, cache]) await mkdir(folder);
  const dependencies = Object.fromEntries(wanted.map(({ name, version }) => [name, version]));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  // The operator's settings include npm's default registry.
  if (!settings.has("registry"))
    throw new NpmFailed(
      "npm's configuration contains no usable registry. Set one with 'npm config set registry <address>'.",
    );
  await writeFile(config, [...settings].map(([name, value]) => `${name}=${value}\n`).join(""), { mode: 0o600 });
  return [...settings].filter(([name]) => /(?:^|:)registry$/.test(name)).map(([, value]) => value);
}

/** The app's node_modules folder. @errors PackagesRefused if it is outside of the app's folder */
async function packagesOf(folder: string): Promise<string> {
  const packagesFolder = join(await realpath(folder), "node_modules");
  await mkdir(packagesFolder, { recursive: true }).catch(() => undefined);
  if ((await appFilePath(folder, "node_modules")) !== packagesFolder)
    throw new PackagesRefused("node_modules is a link: make it a folder of the app's own");
  return packagesFolder;
}

/** Replaces installed packages with new packages. @errors PackagesRefused */
async function moveInto(packagesFolder: string, builtFolder: string, wanted: readonly Dependency[]): Promise<void> {
  const stagingFolder = await mkdtemp(join(packagesFolder, ".parley-"));
  try {
    await copyTree(builtFolder, join(stagingFolder, "packages"));
    for (const { name } of wanted) {
      const place = join(packagesFolder, name);
      await mkdir(dirname(place), { recursive: true });
      if ((await realpath(dirname(place))) !== dirname(place))
        throw new PackagesRefused(`node_modules/${dirname(name)} is a link: make it a folder of the app's own`);
      await rm(place, { recursive: true, force: true });
      await rename(join(stagingFolder, "packages", name), place);
    }
  } finally {
    await rm(stagingFolder, { recursive: true, force: true });
  }
}

/**
 * Installs packages into an app's node_modules. Other packages remain untouched, and a failed installation leaves nothing behind.
 * @shape settings: the app's own settings, validated
 * @errors NpmFailed, PackagesRefused
 */
export async function installPackages(
  boundary: Boundary,
  folder: string,
  { wanted, settings }: { readonly wanted: readonly Dependency[]; readonly settings: NpmSettings },
): Promise<void> {
  const program = npmProgram();
  if (program === undefined) throw new NpmFailed("npm was not found beside Node or on the search path");
  const packagesFolder = await packagesOf(folder);
  const base = await realpath(await mkdtemp(join(tmpdir(), "parley-npm-")));
  try {
    const places = installPaths(base);
    const all = new Map([...(await operatorSettings(program)), ...settings]);
    const registries = await prepare(places, wanted, all);
    const isOpen = (await isOpenToAll(dirname(base))) && (await isOpenToAll(dirname(program)));
    const user = rootUser() && (isOpen && boundary.isOtherUser ? nobodyUser() : rootUser());
    if (user)
      for (const path of [base, ...Object.values(places), join(places.project, "package.json")])
        await chown(path, user.uid, user.gid);
    await runNpm(boundary, { base, program, user });
    checkLock(JSON.parse(await readFile(join(places.project, "package-lock.json"), "utf8")), registries);
    await moveInto(packagesFolder, join(places.project, "node_modules"), wanted);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}
