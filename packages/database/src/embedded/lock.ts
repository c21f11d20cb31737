import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startOf } from "./processes.ts";
import { DatabaseUnavailable } from "../errors/failure.ts";

interface Holder {
  readonly pid: number;
  /** Tells the process from a later one of the same number. */
  readonly started: string;
}

/**
 * Takes a data folder for this process and returns what gives it back; a lock whose process is gone is taken over.
 * @errors DatabaseUnavailable while another process, or this one, holds it
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  const own: Holder = { pid: process.pid, started: startOf(process.pid) ?? "" };
  const mark = JSON.stringify(own);
  const draft = join(folder, `lock.${process.pid}`);
  writeFileSync(draft, mark);
  // Whoever comes next has to see whose it is, also after a start by root.
  chmodSync(draft, 0o644);
  try {
    // A link appears whole and only where nothing is, so that of two processes one wins.
    while (!tryLink(draft, path)) displaceStale(folder, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readIfAny(path) === mark) rmSync(path, { force: true });
  };
}

function displaceStale(folder: string, path: string): void {
  const found = readIfAny(path);
  if (found === undefined) return;
  refuseLiving(folder, found);
  const aside = join(folder, `lock.stale.${process.pid}`);
  if (absent(() => renameSync(path, aside))) return;
  const moved = readIfAny(aside);
  // Somebody else took the stale lock over between the look and the move: give theirs back.
  if (moved !== undefined && moved !== found) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function refuseLiving(folder: string, mark: string): void {
  const holder = parse(mark);
  if (!holder || startOf(holder.pid) !== holder.started) return;
  throw new DatabaseUnavailable(
    `The data folder ${folder} is in use by process ${holder.pid}. Stop that one first, or choose another data folder.`,
  );
}

/** -> undefined for a file that a crash left half written: nobody can hold it. */
function parse(mark: string): Holder | undefined {
  try {
    return JSON.parse(mark) as Holder;
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
  absent(() => (text = readFileSync(path, "utf8")));
  return text;
}

/** True when the file was not there; any other obstacle is thrown. */
function absent(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}
