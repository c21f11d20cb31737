import { resolve } from "node:path";
import { DatabaseUnavailable } from "../errors/failure.ts";
import { APP_ROLE, passwordOf, readPassword } from "./access.ts";
import { clusterOf } from "./home.ts";
import { socketFolder, type SocketFolder } from "./socket.ts";
import { isServed } from "./takeover.ts";

/** Connection to a server that another process runs. */
interface RunningServer {
  readonly socket: SocketFolder;
  /** Password of the product's role. */
  readonly password: string;
}

/** Connection to the server that another process runs in a data folder; undefined if no server is running. @errors DatabaseUnavailable */
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
 * DATABASE_URL of a data folder's embedded server, valid while the server runs. Contains the password.
 * @errors StartFailure if the cluster doesn't exist yet
 */
export function embeddedUrl(dataFolder: string, database = "postgres"): string {
  const cluster = clusterOf(resolve(dataFolder));
  return `postgres://${APP_ROLE}:${passwordOf(cluster)}@/${database}?host=${encodeURIComponent(cluster)}`;
}

/** Undefined if the folder doesn't exist. */
function socketOf(cluster: string): SocketFolder | undefined {
  try {
    return socketFolder(cluster);
  } catch {
    return undefined;
  }
}
