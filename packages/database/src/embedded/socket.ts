import { closeSync, existsSync, mkdtempSync, openSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder through which the sockets of a cluster are reached. */
export interface SocketFolder {
  readonly path: string;
  close(): void;
}

/** Longest path of a folder whose socket every system accepts. @units bytes */
const LONGEST = 85;

/** Finds a short way to a folder: itself, an open handle of it, or a link in the temporary folder where handles have no path. */
export function socketFolder(folder: string): SocketFolder {
  if (Buffer.byteLength(folder) <= LONGEST) return { path: folder, close: () => undefined };
  if (existsSync("/proc/self/fd")) {
    const handle = openSync(folder, "r");
    return { path: `/proc/self/fd/${handle}`, close: () => closeSync(handle) };
  }
  const short = mkdtempSync(join(tmpdir(), "parley-"));
  symlinkSync(folder, join(short, "s"));
  return { path: join(short, "s"), close: () => rmSync(short, { recursive: true, force: true }) };
}
