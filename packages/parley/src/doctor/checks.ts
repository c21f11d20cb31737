import { createServer } from "node:net";
import { existsSync } from "node:fs";
import { readFile, stat, access, constants, statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { findBoundary, boundaryShortcomings, type BoundaryName } from "@parley/framework/authoring";
import { realPorts } from "@parley/service/ports";
import { findBinaries, openDatabase } from "@parley/database";
import type { ParleyConfig } from "../environment/config.ts";
import { findInstance } from "../instance/instance.ts";
import { isCommandFailure } from "../environment/failure.ts";
import { fail, ok, warn, type CheckFinding } from "../output/finding.ts";

/** This package's package.json, seen from the bundle or from the source. */
const PACKAGE =
  ["../package.json", "../../package.json"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** -> whether a version such as 22.4.1 is at least another version */
const isAtLeast = (version: string, minimum: string): boolean => {
  const [actual, required] = [version, minimum].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = required.findIndex((part, index) => part !== actual[index]);
  return at === -1 || (actual[at] ?? 0) > (required[at] ?? 0);
};

export async function checkNodeVersion(): Promise<CheckFinding> {
  const { engines } = JSON.parse(await readFile(PACKAGE, "utf8")) as { readonly engines: { readonly node: string } };
  const minimum = engines.node.replace(/^>=/, "");
  const { node } = process.versions;
  return isAtLeast(node, minimum)
    ? ok(`Node ${node}`)
    : fail(`Node ${node} is too old: ${minimum} or later is needed.`, `Install Node ${minimum} or later.`);
}

const DAY_MS = 86_400_000;

/** A clock that is earlier than the installation of this package is wrong. */
export async function checkClock(): Promise<CheckFinding> {
  const [now, built] = [realPorts.now(), (await stat(PACKAGE)).mtime];
  if (now.getTime() + DAY_MS >= built.getTime()) return ok(`${now.toISOString()} (UTC)`);
  return fail(
    `The clock shows ${now.toISOString()}, which is earlier than the release of this program.`,
    "Set the machine's clock: keys and signatures depend on it.",
  );
}

const BOUNDARIES: Readonly<Record<BoundaryName, string>> = {
  bubblewrap: "namespaces of bubblewrap",
  namespaces: "namespaces and a system call filter",
  landlock: "Landlock and a system call filter",
  unshare: "namespaces of unshare",
  "sandbox-exec": "the sandbox of macOS",
  none: "nothing",
};

/** Reports how the operating system isolates the processes of apps. */
export async function checkHandlerProcess(): Promise<CheckFinding> {
  const boundary = await findBoundary();
  const lines = boundaryShortcomings(boundary);
  if (lines.length === 0) return ok(`The operating system isolates apps' code: ${BOUNDARIES[boundary.name]}.`);
  return warn(
    lines.join(" "),
    "Install bubblewrap, or allow unprivileged user namespaces; until then run only apps whose code you trust.",
  );
}

export async function checkTestBrowser(): Promise<CheckFinding> {
  const require = createRequire(import.meta.url);
  const found = ["playwright-core", "@sparticuz/chromium"].filter((name) => {
    try {
      return require.resolve(name) !== "";
    } catch {
      return false;
    }
  });
  return found.length === 2
    ? ok("A browser for page tests is installed.")
    : warn(
        "No browser for page tests is installed.",
        "Only these tests need a browser: run npm install with devDependencies.",
      );
}

/** -> undefined when the port is free, otherwise the error code of the system */
const portError = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** Checks that a port can be opened or is already used by this instance. */
export const checkPort = async (config: ParleyConfig, number: number, variable: string): Promise<CheckFinding> => {
  if (number === 0) return ok("Any free port.");
  const problem = await portError(number);
  if (problem === undefined) return ok(`${number} is free.`);
  const own = await findInstance(config.dataFolder);
  // `parley serve` has no app of a folder, `parley start` has no platform.
  const addresses = own ? [own.service, own.app, own.platform ?? ""].filter(Boolean) : [];
  if (addresses.some((address) => new URL(address).port === String(number)))
    return ok(`${number} is used by the instance that runs here.`);
  return warn(
    `Port ${number} can't be opened (${problem}).`,
    `Stop the program that uses it, or set ${variable} to another port (0: any free port).`,
  );
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The path itself, or its nearest existing ancestor. */
const nearestExisting = async (path: string): Promise<string> =>
  (await exists(path)) || dirname(path) === path ? path : nearestExisting(dirname(path));

const CHOOSE_FOLDER = "Set PARLEY_DATA to a folder that you may write.";

/** -> a failure if the folder can't be written, or can't be created; undefined otherwise. Nothing is created. */
export const checkWritable = async (folder: string, next: string): Promise<CheckFinding | undefined> => {
  const existing = await nearestExisting(folder);
  const stats = await stat(existing);
  if (!stats.isDirectory()) return fail(`${existing} is not a folder, so ${folder} can't be created.`, next);
  return access(existing, constants.W_OK | constants.X_OK).then(
    () => undefined,
    () => fail(`${existing} can't be written.`, next),
  );
};

export async function checkDataFolder({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const failure = await checkWritable(folder, CHOOSE_FOLDER);
  if (failure) return failure;
  const existing = await nearestExisting(folder);
  const stats = await stat(existing);
  const user = process.getuid?.();
  if (existing === folder && user !== undefined && stats.uid !== user)
    return warn(
      `${folder} belongs to the user ${stats.uid}, and you are ${user}.`,
      "Start as that user, or set PARLEY_DATA to a folder of your own.",
    );
  return ok(existing === folder ? folder : `${folder} will be created.`);
}

/** The data folder holds keys and customer data, which must not be committed by mistake. */
export async function checkGitIgnore({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const cwd = await nearestExisting(dirname(folder));
  const { status, error } = spawnSync("git", ["check-ignore", "-q", `${folder}/x`], { cwd, timeout: 10_000 });
  if (error || status === 128) return ok("The data folder is not in a git repository.");
  const own = await readFile(join(folder, ".gitignore"), "utf8").catch(() => "");
  if (status === 0 || /^\*$/m.test(own)) return ok("The data folder is ignored by git.");
  // The first start creates a .gitignore file in the data folder.
  if (!(await exists(folder))) return ok("The data folder will be ignored by git.");
  return warn(`${folder} is not ignored by git.`, "Add it to .gitignore: it contains keys and customers' data.");
}

const GIGABYTE_BYTES = 1024 ** 3;
/** PostgreSQL needs at least this much free space. @units bytes */
const minFreeBytes = GIGABYTE_BYTES / 4;
const RECOMMENDED_FREE_BYTES = 2 * GIGABYTE_BYTES;

export async function checkDisk({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder));
  const free = bavail * bsize;
  const text = `${(free / GIGABYTE_BYTES).toFixed(1)} GB are free.`;
  const next = "Free disk space, or set PARLEY_DATA to a folder on another disk.";
  return free < minFreeBytes ? fail(text, next) : free < RECOMMENDED_FREE_BYTES ? warn(text, next) : ok(text);
}

export async function checkInstance({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const found = await findInstance(folder);
  return ok(
    found ? `Parley runs here as process ${found.pid}: ${found.service}` : "No instance runs on this data folder.",
  );
}

const USE_OWN_SERVER = "Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.";
/** @units milliseconds */
const VERSION_TIMEOUT_MS = 10_000;

function checkEmbedded(): CheckFinding {
  const { postgres } = findBinaries();
  const { status, stdout, stderr, error } = spawnSync(postgres, ["--version"], {
    encoding: "utf8",
    timeout: VERSION_TIMEOUT_MS,
  });
  if (status === 0) return ok(`${stdout.trim()}, embedded`);
  const reason = error?.message ?? stderr.trim().split("\n")[0] ?? `status ${status}`;
  return fail(`The embedded PostgreSQL can't be executed: ${reason}`, USE_OWN_SERVER);
}

async function checkOwnServer(url: string, dataFolder: string): Promise<CheckFinding> {
  const database = await openDatabase({ dataFolder, url, log: () => undefined });
  await database.close();
  return ok("The PostgreSQL server of DATABASE_URL responds.");
}

/** Checks that the embedded server can be executed, or that the server of DATABASE_URL answers. */
export async function checkPostgres({ databaseUrl, dataFolder }: ParleyConfig): Promise<CheckFinding> {
  try {
    return databaseUrl === undefined ? checkEmbedded() : await checkOwnServer(databaseUrl, dataFolder);
  } catch (error) {
    if (!isCommandFailure(error)) throw error;
    return fail(
      error.message,
      databaseUrl === undefined ? USE_OWN_SERVER : "Check DATABASE_URL, and that the server runs.",
    );
  }
}
