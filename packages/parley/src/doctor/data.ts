import { spawnSync } from "node:child_process";
import { findBinaries, openDatabase } from "@parley/database";
import type { ParleyConfig } from "../environment/config.ts";
import { isCommandFailure } from "../environment/failure.ts";
import { fail, ok, type CheckFinding, warn } from "./check.ts";
import { access, constants, readFile, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findInstance } from "../instance/instance.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The path itself, or its nearest existing ancestor. */
const nearestExisting = async (path: string): Promise<string> =>
  (await exists(path)) || dirname(path) === path ? path : nearestExisting(dirname(path));

const CHOOSE_FOLDER = "Set PARLEY_DATA to a folder that you may write.";

export async function checkDataFolder({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const place = await nearestExisting(folder);
  const found = await stat(place);
  if (!found.isDirectory()) return fail(`${place} is not a folder, so ${folder} can't be created.`, CHOOSE_FOLDER);
  const isWritable = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return fail(`${place} can't be written.`, CHOOSE_FOLDER);
  const user = process.getuid?.();
  if (place === folder && user !== undefined && found.uid !== user)
    return warn(
      `${folder} belongs to the user ${found.uid}, and you are ${user}.`,
      "Start as that user, or set PARLEY_DATA to a folder of your own.",
    );
  return ok(place === folder ? folder : `${folder} will be created.`);
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

const gigabyte = 1024 ** 3;
/** PostgreSQL needs at least this much free space. @units bytes */
const minFreeBytes = gigabyte / 4;
const recommendedFreeBytes = 2 * gigabyte;

export async function checkDisk({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder));
  const free = bavail * bsize;
  const text = `${(free / gigabyte).toFixed(1)} GB are free.`;
  const next = "Free disk space, or set PARLEY_DATA to a folder on another disk.";
  return free < minFreeBytes ? fail(text, next) : free < recommendedFreeBytes ? warn(text, next) : ok(text);
}

export async function checkInstance({ dataFolder: folder }: ParleyConfig): Promise<CheckFinding> {
  const found = await findInstance(folder);
  return ok(
    found ? `Parley runs here as process ${found.pid}: ${found.service}` : "No instance runs on this data folder.",
  );
}

const USE_OWN_SERVER = "Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.";
/** @units milliseconds */
const versionTimeoutMs = 10_000;

function checkEmbedded(): CheckFinding {
  const { postgres } = findBinaries();
  const { status, stdout, stderr, error } = spawnSync(postgres, ["--version"], {
    encoding: "utf8",
    timeout: versionTimeoutMs,
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
