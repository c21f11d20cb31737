import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTimeOf } from "./processes.ts";
import { DatabaseUnavailable } from "../errors/failure.ts";

interface Holder {
  readonly pid: number;
  /** Start time of the process, which distinguishes it from a later process with the same pid. */
  readonly started: string;
}

/**
 * Locks a data folder for this process and returns the unlock function. A lock whose process has ended is taken over.
 * @errors DatabaseUnavailable while another process, or this process, holds the lock
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  const own: Holder = { pid: process.pid, started: startTimeOf(process.pid) ?? "" };
  const content = JSON.stringify(own);
  const draft = join(folder, `lock.${process.pid}`);
  writeFileSync(draft, content);
  // Readable by other users, so that a later start can identify the holder, also after a start as root.
  chmodSync(draft, 0o644);
  try {
    // link() is atomic and fails if the path exists, so that exactly one of two processes succeeds.
    while (!tryLink(draft, path)) displaceStale(folder, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readIfAny(path) === content) rmSync(path, { force: true });
  };
}

function displaceStale(folder: string, path: string): void {
  const found = readIfAny(path);
  if (found === undefined) return;
  refuseLiving(folder, found);
  const stalePath = join(folder, `lock.stale.${process.pid}`);
  if (isAbsent(() => renameSync(path, stalePath))) return;
  const moved = readIfAny(stalePath);
  // Another process took over the stale lock between the read and the rename: restore its lock.
  if (moved !== undefined && moved !== found) tryLink(stalePath, path);
  rmSync(stalePath, { force: true });
}

function refuseLiving(folder: string, content: string): void {
  const holder = parse(content);
  if (!holder || startTimeOf(holder.pid) !== holder.started) return;
  throw new DatabaseUnavailable(
    `The data folder ${folder} is in use by process ${holder.pid}. Stop that one first, or choose another data folder.`,
  );
}

/** Undefined for a file that was truncated by a crash, which no process holds. */
function parse(content: string): Holder | undefined {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readIfAny(path: string): string | undefined {
  let text: string | undefined;
  isAbsent(() => (text = readFileSync(path, "utf8")));
  return text;
}

/** Returns true if the file doesn't exist; other errors are thrown. */
function isAbsent(access: () => unknown): boolean {
  try {
    access();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}
