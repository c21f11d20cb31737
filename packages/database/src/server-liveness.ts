import pg from "pg";
import type { Log } from "@parley/telemetry";
import { endpointConfig, type ServerEndpoint } from "./endpoints.ts";
import { sleepWhileRunning } from "./running-time.ts";

/** Interval between two questions to a server. @units milliseconds */
const INTERVAL_MS = 1_000;
/**
 * How long a server may take to answer. The time during which this process was suspended does not count. @units milliseconds
 * @assumed The number: a request then waits less than eight seconds for a server that is gone.
 */
const ANSWER_TIMEOUT_MS = 3_000;

/** An open connection that can be closed at once. */
interface WatchedConnection {
  /** Bytes that the server has sent. */
  bytesRead(): number;
  /** Closes the socket: statements in progress fail as with a lost connection. */
  destroy(): void;
}

/**
 * Detects servers that stop to answer while their connections stay open, such as a machine that froze or was cut off from the network: TCP
 * notices it after a quarter of an hour. One connection for each server asks every second. When it gets no answer in time and nothing arrives on
 * the watched connections either, they are all closed, so that their statements fail and the next connection finds another server. A server
 * that is only slow keeps its connections.
 *
 * States of a server: unwatched → asking (each second) → silent (its connections are closed) → unwatched.
 */
export interface ServerLiveness {
  /** Watches a connection until the returned function is called. */
  watch(endpoint: ServerEndpoint, connection: WatchedConnection): () => void;
  close(): void;
}

interface ServerLivenessDeps {
  /** Driver configuration of the address, without a server. */
  readonly config: pg.ClientConfig;
  /** Of the connections that ask. */
  readonly applicationName: string;
  /** Called for a server that is silent, before its connections are closed. */
  readonly onSilent: () => void;
  readonly log: Log;
}

interface ClientInternals {
  readonly connection: { readonly stream: { readonly bytesRead?: number; destroy(): void } };
}

const streamOf = (client: pg.Client) => (client as unknown as ClientInternals).connection.stream;

/** Closes the socket of a client: its statements fail as with a lost connection. */
const destroyClient = (client: pg.Client): void => streamOf(client).destroy();

/** A client of the driver as it is watched. */
export const watchedClient = (client: pg.Client): WatchedConnection => ({
  bytesRead: () => streamOf(client).bytesRead ?? 0,
  destroy: () => destroyClient(client),
});

const keyOf = ({ host, port, tls }: ServerEndpoint): string => `${host ?? ""} ${port ?? ""} ${tls === false}`;

/** -> whether the work takes longer than a server may; false when the signal aborts. @errors errors of the work */
const isOverdue = async (work: Promise<void>, signal: AbortSignal): Promise<boolean> => {
  const timer = new AbortController();
  // Not AbortSignal.any: Node 20 keeps an entry of each call for as long as the given signal lives.
  const stop = () => timer.abort();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const options = { signal: timer.signal, ref: false };
  const late = sleepWhileRunning(ANSWER_TIMEOUT_MS, options).then(
    () => true,
    () => false,
  );
  const answered = work.then(() => false);
  // The work may fail after the time is over.
  answered.catch(() => undefined);
  return Promise.race([answered, late]).finally(() => {
    signal.removeEventListener("abort", stop);
    stop();
  });
};

export function createServerLiveness({ config, applicationName, onSilent, log }: ServerLivenessDeps): ServerLiveness {
  const servers = new Map<string, Set<WatchedConnection>>();
  const closing = new AbortController();

  /** Asks until no connection is left. A refused or reset connection does not count as silence: the other connections notice it themselves. */
  const ask = async (endpoint: ServerEndpoint, watched: Set<WatchedConnection>): Promise<void> => {
    let client: pg.Client | undefined;
    const disconnect = (): void => {
      if (client) destroyClient(client);
      client = undefined;
    };
    const question = async (): Promise<void> => {
      if (!client) {
        const opened = new pg.Client({
          ...config,
          ...endpointConfig(endpoint),
          // A refusal by this limit would not count as silence.
          connectionTimeoutMillis: 0,
          application_name: applicationName,
        });
        opened.on("error", () => undefined);
        opened.once("end", () => {
          if (client === opened) client = undefined;
        });
        client = opened;
        await opened.connect();
      }
      await client.query("select 1");
    };
    const { signal } = closing;
    for (;;) {
      await sleepWhileRunning(INTERVAL_MS, { signal, ref: false }).catch(() => undefined);
      if (watched.size === 0 || signal.aborted) break;
      const readBefore = new Map([...watched].map((connection) => [connection, connection.bytesRead()]));
      const isLate = await isOverdue(question(), signal).catch(() => {
        disconnect();
        return false;
      });
      if (!isLate) continue;
      // A connection that was opened meanwhile has received an answer, too.
      if ([...watched].some((connection) => connection.bytesRead() > (readBefore.get(connection) ?? 0))) {
        disconnect();
        continue;
      }
      log(`PostgreSQL at ${endpoint.name} does not answer: its connections are closed`, { level: "warn" });
      onSilent();
      disconnect();
      const silenced = [...watched];
      watched.clear();
      for (const connection of silenced) connection.destroy();
    }
    // Without an await since the last check, so that no connection is added to a set that nobody asks for.
    servers.delete(keyOf(endpoint));
    disconnect();
  };

  return {
    watch: (endpoint, connection) => {
      const key = keyOf(endpoint);
      const known = servers.get(key);
      const watched = known ?? new Set<WatchedConnection>();
      watched.add(connection);
      if (!known) {
        servers.set(key, watched);
        void ask(endpoint, watched);
      }
      return () => void watched.delete(connection);
    },
    close: () => closing.abort(),
  };
}
