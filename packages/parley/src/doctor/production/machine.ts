import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, warn, type CheckFinding } from "../../output/finding.ts";

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");
const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** May be read or entered by others; the group of a server that runs as another user may traverse the folder. */
const isOpen = (mode: number): boolean => (mode & 0o067) !== 0;

/** Whether only its owner may enter a folder of data. */
export async function checkPrivateFolder(folder: string): Promise<CheckFinding> {
  try {
    const { mode } = await stat(folder);
    return isOpen(mode)
      ? fail(`${folder} is open to other users (mode ${octal(mode)}).`, `Run chmod 700 '${folder}'.`)
      : ok(`Only its owner may read ${folder}.`);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return warn(
      `${folder} does not exist yet.`,
      "Run this check again after the first start, as the user of the service.",
    );
  }
}

/** Files of the data folder that contain keys. */
const KEY_FILES = /^(?:secrets-key|admin-key|api-key|app-key.*)$/;

/** Whether only their owner may read the files of keys. */
export async function checkKeyFiles(folder: string): Promise<CheckFinding> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => KEY_FILES.test(name));
  const open: string[] = [];
  for (const name of names) if (((await stat(join(folder, name))).mode & 0o077) !== 0) open.push(name);
  return open.length > 0
    ? fail(
        `Other users may read ${open.join(", ")} in ${folder}.`,
        `Run chmod 600 on them. If others have used this machine, replace the keys: docs/operators/secrets-key.md.`,
      )
    : ok(names.length === 0 ? "The data folder contains no key." : `Only their owner may read ${names.join(", ")}.`);
}

/** Writes of one measurement. */
const WRITES = 20;
const BLOCK_BYTES = 8_192;
/** @units milliseconds */
const SLOW_MS = 20;
const TOO_SLOW_MS = 200;

/** Time of a write that reaches the disk: the median of some. @units milliseconds */
export async function writeLatency(folder: string): Promise<number> {
  const measured = await mkdtemp(join(folder, ".doctor-"));
  try {
    const file = await open(join(measured, "write"), "w");
    const times: number[] = [];
    for (let count = 0; count < WRITES; count++) {
      const startTime = performance.now();
      await file.write(Buffer.alloc(BLOCK_BYTES, count), 0, BLOCK_BYTES, count * BLOCK_BYTES);
      await file.datasync();
      times.push(performance.now() - startTime);
    }
    await file.close();
    return times.sort((a, b) => a - b)[WRITES / 2] ?? 0;
  } finally {
    await rm(measured, { recursive: true, force: true });
  }
}

/** The finding for a latency of the disk: each write of a message waits for the disk. @units milliseconds */
export const latencyFinding = (latencyMs: number, folder: string): CheckFinding => {
  const text = `A write to ${folder} takes ${latencyMs.toFixed(1)} ms until it is on disk.`;
  const next = "Use a local SSD, or a volume with more operations a second; network file systems are too slow.";
  return latencyMs > TOO_SLOW_MS ? fail(text, next) : latencyMs > SLOW_MS ? warn(text, next) : ok(text);
};

/** Measures a folder. `embedded`: the database is in the folder, too. */
export async function checkWriteLatency(folder: string, embedded: boolean): Promise<CheckFinding> {
  if (!embedded) return ok("Not measured: the database is not in the data folder. Watch the disk of its server.");
  try {
    return latencyFinding(await writeLatency(folder), folder);
  } catch (error) {
    return fail(
      `${folder} can't be written (${(error as NodeJS.ErrnoException).code ?? "error"}).`,
      "Run this check as the user of the service, after the first start.",
    );
  }
}

/** Whether uploads and reports can be stored. @shape isShared: several machines can use the database */
export async function checkObjectsFolder(folder: string, isShared: boolean, isChosen: boolean): Promise<CheckFinding> {
  const found = await checkPrivateFolder(folder);
  if (found.level === "fail") return found;
  if (isShared && !isChosen)
    return warn(
      `Uploads and reports are in ${folder}, which other machines do not see.`,
      "With more than one machine, set PARLEY_OBJECTS to a bucket, or to a folder that all of them share.",
    );
  return found;
}
