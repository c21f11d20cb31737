import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isProcessAlive } from "../instance/instance.ts";

/** A backup is written to `.<name>.arriving` beside its folder, and renamed when it is complete. */
const ARRIVING = /^\.(.+)\.arriving$/;
export const arrivingName = (name: string): string => `.${name}.arriving`;

/** File that names the process that writes an incomplete backup. */
const WRITER_FILE = "writer.json";
/** Age at which a backup of another machine, or of an earlier release, counts as abandoned. @units milliseconds */
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60 * 1_000;

interface Writer {
  readonly host: string;
  readonly pid: number;
}

export const markWriter = (folder: string): Promise<void> =>
  writeFile(join(folder, WRITER_FILE), JSON.stringify({ host: hostname(), pid: process.pid } satisfies Writer), {
    mode: 0o600,
  });

export const unmarkWriter = (folder: string): Promise<void> => rm(join(folder, WRITER_FILE));

const isAbandoned = async (folder: string, nowMs: number): Promise<boolean> => {
  const text = await readFile(join(folder, WRITER_FILE), "utf8").catch(() => "{}");
  let writer: Partial<Writer> = {};
  try {
    writer = JSON.parse(text) as Partial<Writer>;
  } catch {
    // It was killed while it wrote the file.
  }
  if (writer.host === hostname() && writer.pid !== undefined)
    return writer.pid === process.pid || !isProcessAlive(writer.pid);
  return nowMs - (await stat(folder)).mtimeMs > ABANDONED_AFTER_MS;
};

/** Removes the incomplete backups of processes that were killed. -> their names */
export const removeAbandoned = async (parent: string, nowMs: number): Promise<string[]> => {
  const removed: string[] = [];
  for (const name of await readdir(parent).catch(() => [])) {
    const folder = join(parent, name);
    // Another process may remove it at the same time.
    if (!ARRIVING.test(name) || !(await isAbandoned(folder, nowMs).catch(() => false))) continue;
    await rm(folder, { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
};
