import { spawnSync } from "node:child_process";
import { findBinaries, openDatabase } from "@parley/database";
import type { ParleyConfig } from "../config.ts";
import { isUsageFailure } from "../failure.ts";
import { fail, ok, type Finding } from "./check.ts";

const INSTEAD = "Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.";
/** @units milliseconds */
const PATIENCE = 10_000;

function embedded(): Finding {
  const { postgres } = findBinaries();
  const { status, stdout, stderr, error } = spawnSync(postgres, ["--version"], { encoding: "utf8", timeout: PATIENCE });
  if (status === 0) return ok(`${stdout.trim()}, embedded`);
  const reason = error?.message ?? stderr.trim().split("\n")[0] ?? `status ${status}`;
  return fail(`The embedded PostgreSQL can't be executed: ${reason}`, INSTEAD);
}

async function own(url: string, dataFolder: string): Promise<Finding> {
  const database = await openDatabase({ dataFolder, url, log: () => undefined });
  await database.close();
  return ok("The PostgreSQL of DATABASE_URL answers.");
}

/** The embedded server can be started, or the one of DATABASE_URL be reached. */
export async function postgres({ databaseUrl, dataFolder }: ParleyConfig): Promise<Finding> {
  try {
    return databaseUrl === undefined ? embedded() : await own(databaseUrl, dataFolder);
  } catch (error) {
    if (!isUsageFailure(error)) throw error;
    return fail(error.message, databaseUrl === undefined ? INSTEAD : "Check DATABASE_URL, and that its server runs.");
  }
}
