import { createServer, type AddressInfo, type Socket } from "node:net";

/** Who takes connections. */
export interface ConnectionTarget {
  /** Connections that it has, or was given. */
  load(): number;
  give(connection: Socket): void;
}

/** The one port of several processes. */
export interface ConnectionBalancer {
  readonly port: number;
  add(taker: ConnectionTarget): void;
  /** It takes no more: what it had not taken yet goes to another. */
  remove(taker: ConnectionTarget, left: readonly Socket[]): void;
  /** Takes no more connections. */
  close(): void;
}

/** Connections that may wait while nobody takes them. */
const WAITING = 1_024;

/** Listens, and gives each connection to whoever has fewest. @errors what listening on the port failed with */
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

  // Nothing is read here: every byte is for the process that gets the connection.
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
