import { createServer, type AddressInfo, type Socket } from "node:net";
import { ACCEPT_QUEUE_LENGTH } from "@parley/ingress";

/** A process that accepts connections. */
export interface ConnectionTarget {
  /** Number of its open connections, including those that it has not acknowledged. */
  load(): number;
  accept(connection: Socket): void;
}

/** Distributes the connections of one port among several processes. */
export interface ConnectionBalancer {
  readonly port: number;
  add(target: ConnectionTarget): void;
  /** Removes a target. The connections that it had not acknowledged go to another target. */
  remove(target: ConnectionTarget, left: readonly Socket[]): void;
  /** Stops listening. */
  close(): void;
}

/** Maximum number of connections that are queued while there is no target. */
const QUEUED_CONNECTIONS_MAX = 1_024;

/** Listens on the port and passes each connection to the target with the fewest. @errors errors of listening on the port */
export async function openConnectionBalancer({
  port,
  host,
}: {
  readonly port: number;
  readonly host: string;
}): Promise<ConnectionBalancer> {
  const targets = new Set<ConnectionTarget>();
  const queued: Socket[] = [];
  let closed = false;

  const dispatch = (connection: Socket): void => {
    if (connection.destroyed) return;
    const [first, ...others] = targets;
    if (first)
      return others.reduce((least, other) => (other.load() < least.load() ? other : least), first).accept(connection);
    if (closed || queued.length >= QUEUED_CONNECTIONS_MAX) connection.destroy();
    else queued.push(connection);
  };

  // Sockets stay paused: all bytes must be read by the process that gets the connection.
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connection.on("error", () => connection.destroy());
    dispatch(connection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: ACCEPT_QUEUE_LENGTH }, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    add(target) {
      targets.add(target);
      for (const connection of queued.splice(0)) dispatch(connection);
    },
    remove(target, left) {
      targets.delete(target);
      for (const connection of left) dispatch(connection);
    },
    close() {
      closed = true;
      server.close();
      for (const connection of queued.splice(0)) connection.destroy();
    },
  };
}
