import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DatabaseUnavailable } from "../errors/failure.ts";
import { isPidInUse, worksIn } from "./processes.ts";

/** Maximum duration of a shutdown before the next signal. @units milliseconds */
const SHUTDOWN_TIMEOUT_MS = 15_000;

const SOCKET = ".s.PGSQL.5432";

/** Prepares a cluster for a start: ends a server that outlived its Node process, and removes lock files that would block a new server. */
export async function takeOver(cluster: string, socketFolder: string): Promise<void> {
  await endServer(cluster);
  if (await isListening(join(socketFolder, SOCKET)))
    throw new DatabaseUnavailable(
      `${cluster} is served by a PostgreSQL that can't be seen from here (another container?). Stop that one first, or choose another data folder.`,
    );
  // PostgreSQL detects a lock file whose process has ended, but mistakes any process with the same pid for a server, including a zombie
  // that a container never reaps.
  for (const name of ["postmaster.pid", `${SOCKET}.lock`]) {
    const pid = pidIn(join(cluster, name));
    if (pid !== undefined && isPidInUse(pid)) rmSync(join(cluster, name), { force: true });
  }
}

/** Ends a running server of a cluster: SIGINT, then SIGQUIT after a timeout. @errors DatabaseUnavailable */
export async function endServer(cluster: string): Promise<void> {
  const pid = pidIn(join(cluster, "postmaster.pid"));
  if (pid === undefined || !worksIn(pid, cluster)) return;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    process.kill(pid, signal);
    const deadline = performance.now() + SHUTDOWN_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if (!worksIn(pid, cluster)) return;
      await setTimeout(5);
    }
  }
  throw new DatabaseUnavailable(
    `The PostgreSQL in ${cluster} (process ${pid}) does not end. End it, then start again.`,
  );
}

/** Reads the pid in the first line of a file. */
function pidIn(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** True if a server accepts connections in this socket folder. */
export const isServed = (socketFolder: string): Promise<boolean> => isListening(join(socketFolder, SOCKET));

/** True if a process listens on the socket, also across containers. */
const isListening = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
