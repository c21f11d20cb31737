import { createServer, type AddressInfo, type Socket } from "node:net";

/** A process that accepts connections. */
export interface ConnectionTarget {
  /** Number of its open connections, including those that it has not acknowledged. */
  load(): number;
  give(connection: Socket): void;
}

/** Distributes the connections of one port among several processes. */
export interface ConnectionBalancer {
  readonly port: number;
  add(taker: ConnectionTarget): void;
  /** Removes a target. The connections that it had not acknowledged go to another target. */
  remove(taker: ConnectionTarget, left: readonly Socket[]): void;
  /** Stops listening. */
  close(): void;
}

/** Maximum number of connections that are queued while there is no target. */
const WAITING = 1_024;

/** Listens on the port and passes each connection to the target with the fewest. @errors errors of listening on the port */
export async function openConnectionBalancer({
  port,
  host,
}: {
  readonly port: number;
  readonly host: string;
}): Promise<ConnectionBalancer> {
  const takers = new Set<ConnectionTarget>();
  const waiting: Socket[] = [];
  let closed = false;

  const give = (connection: Socket): void => {
    if (connection.destroyed) return;
    const [first, ...others] = takers;
    if (first)
      return others.reduce((least, other) => (other.load() < least.load() ? other : least), first).give(connection);
    if (closed || waiting.length >= WAITING) connection.destroy();
    else waiting.push(connection);
  };

  // Sockets stay paused: all bytes must be read by the process that gets the connection.
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connection.on("error", () => connection.destroy());
    give(connection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    add(taker) {
      takers.add(taker);
      for (const connection of waiting.splice(0)) give(connection);
    },
    remove(taker, left) {
      takers.delete(taker);
      for (const connection of left) give(connection);
    },
    close() {
      closed = true;
      server.close();
      for (const connection of waiting.splice(0)) connection.destroy();
    },
  };
}
