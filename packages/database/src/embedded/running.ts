import { resolve } from "node:path";
import { DatabaseUnavailable } from "../errors/failure.ts";
import { APP_ROLE, passwordOf, readPassword } from "./access.ts";
import { clusterOf } from "./home.ts";
import { socketFolder, type SocketFolder } from "./socket.ts";
import { isServed } from "./takeover.ts";

/** The way to the server that another process runs. */
export interface RunningServer {
  readonly socket: SocketFolder;
  /** Of the product's role. */
  readonly password: string;
}

/** The way to the server that another process runs in a data folder. -> undefined: none runs. @errors DatabaseUnavailable */
export async function runningServer(dataFolder: string): Promise<RunningServer | undefined> {
  const cluster = clusterOf(resolve(dataFolder));
  const socket = socketOf(cluster);
  if (!socket) return undefined;
  if (await isServed(socket.path)) {
    const password = readPassword(cluster);
    if (password !== undefined) return { socket, password };
    socket.close();
    throw new DatabaseUnavailable(
      `The PostgreSQL of ${dataFolder} was started by an earlier release. Stop that instance, start it with this release, and try again.`,
    );
  }
  socket.close();
  return undefined;
}

/**
 * The address of a data folder's embedded server, as DATABASE_URL takes it, while the server runs. It holds the password.
 * @errors StartFailure when no start has made the data yet
 */
export function embeddedUrl(dataFolder: string, database = "postgres"): string {
  const cluster = clusterOf(resolve(dataFolder));
  return `postgres://${APP_ROLE}:${passwordOf(cluster)}@/${database}?host=${encodeURIComponent(cluster)}`;
}

/** -> undefined for a folder that isn't there. */
function socketOf(cluster: string): SocketFolder | undefined {
  try {
    return socketFolder(cluster);
  } catch {
    return undefined;
  }
}
