import { closeSync, existsSync, mkdtempSync, openSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Path of a folder that is short enough for Unix sockets in it. */
export interface SocketFolder {
  readonly path: string;
  close(): void;
}

/** Maximum path length of a folder with a socket that every system supports. @units bytes */
const PATH_BYTES_MAX = 85;

/** Finds a short path of a folder: the folder itself, an open file descriptor in /proc, or a symbolic link in the temporary folder. */
export function socketFolder(folder: string): SocketFolder {
  if (Buffer.byteLength(folder) <= PATH_BYTES_MAX) return { path: folder, close: () => undefined };
  if (existsSync("/proc/self/fd")) {
    const handle = openSync(folder, "r");
    return { path: `/proc/self/fd/${handle}`, close: () => closeSync(handle) };
  }
  const short = mkdtempSync(join(tmpdir(), "parley-"));
  symlinkSync(folder, join(short, "s"));
  return { path: join(short, "s"), close: () => rmSync(short, { recursive: true, force: true }) };
}
