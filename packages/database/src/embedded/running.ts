import { resolve } from "node:path";
import { clusterOf } from "./home.ts";
import { socketFolder, type SocketFolder } from "./socket.ts";
import { isServed } from "./takeover.ts";

/** The way to the server that another process runs in a data folder. -> undefined: none runs */
export async function runningSocket(dataFolder: string): Promise<SocketFolder | undefined> {
  const socket = socketOf(clusterOf(resolve(dataFolder)));
  if (!socket) return undefined;
  if (await isServed(socket.path)) return socket;
  socket.close();
  return undefined;
}

/** -> undefined for a folder that isn't there. */
function socketOf(cluster: string): SocketFolder | undefined {
  try {
    return socketFolder(cluster);
  } catch {
    return undefined;
  }
}
