import type { Log } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { socketAddress, urlAddress, type DatabaseAddress } from "./address.ts";
import { applicationName, clientConfig, type ClientChoices, type Servers } from "./client.ts";
import { openConnection, type Connection } from "./connection.ts";
import { APP_ROLE } from "./embedded/access.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { runningServer } from "./embedded/running.ts";
import { openEndpoints, SESSION_STATE, type SessionState } from "./endpoints.ts";
import { DatabaseUnavailable, failureLine } from "./errors/failure.ts";
import { refuseSharedSessions } from "./pooler.ts";
import { openDriverPool, openPool, type Pool } from "./pool.ts";
import { createServerLiveness } from "./server-liveness.ts";
import { createConnectionAttempts, type ConnectionAttempts } from "./connection-attempts.ts";
import { ensureSchema, identifier } from "./schema.ts";
import { statement } from "./statement.ts";

/** Options of a pool. */
interface PoolOptions {
  /** Maximum number of connections. Default: 4. */
  readonly max?: number;
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
  /** Server settings of the pool's sessions, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Maximum number of callers that wait for a connection. Default: 1000. */
  readonly maxWaiting?: number;
  /** Maximum wait for a connection. Default: 5 s. @units milliseconds */
  readonly acquireTimeoutMs?: number;
}

/** A PostgreSQL database, on the embedded server or another server. */
export interface Database {
  /** Creates a pool of connections whose `search_path` is the schema, which is created if missing. The pool connects on first use. */
  pool(schema: string, options?: PoolOptions): Pool;
  /** Opens a dedicated connection (LISTEN, advisory locks, pipelining). The caller reconnects, see `onLost`. */
  connect(schema: string): Promise<Connection>;
  /** Creates a pool of the driver, for a library with SQL of its own. The schema exists. The caller ends the pool. */
  driverPool(schema: string, options?: Pick<PoolOptions, "max" | "applicationName">): Promise<pg.Pool>;
  readonly embedded: boolean;
  /** Display name of the server for messages. */
  readonly displayName: string;
  /** Number of connections that were lost or discarded so far. A change means that cached facts about the server may be outdated. */
  brokenConnectionCount(): number;
  /** Ends pools and connections, then the embedded server. Idempotent. */
  close(): Promise<void>;
}

/** Maximum time that running statements delay a close. @units milliseconds */
const DRAIN_TIMEOUT_MS = 5_000;

/**
 * Maximum time that a request waits for an unreachable server. The embedded server is restarted in the meantime.
 * @units milliseconds
 */
const connectTimeoutsMs = { external: 1_500, embedded: 5_000 };

const noLog: Log = () => undefined;

interface DatabaseAtOptions extends Pick<OpenOptions, "log" | "processLabel" | "onlyReads"> {
  readonly embedded: boolean;
  /** Schemas that exist, which need no connection to be created. */
  readonly presentSchemas?: readonly string[];
  /** Runs at the end of `close`. */
  readonly stop?: () => Promise<void>;
}

/** Creates a Database for an address. */
export function databaseAt(address: DatabaseAddress, options: DatabaseAtOptions): Database {
  const { embedded, stop, log, processLabel, presentSchemas = [], onlyReads = false } = options;
  const { displayName } = address;
  const endpoints = openEndpoints(address);
  // The embedded server is on this machine, and is supervised.
  const liveness = embedded
    ? undefined
    : createServerLiveness({
        config: address.config,
        applicationName: applicationName(address.config.application_name ?? "parley liveness", processLabel),
        onSilent: () => endpoints.invalidate(),
        log: log ?? noLog,
      });
  // The embedded server never becomes a replica.
  const servers = { address, endpoints, liveness, processLabel, refusesReplicas: !embedded && !onlyReads };
  let brokenConnections = 0;
  const onBroken = (error: unknown): void => {
    brokenConnections += 1;
    servers.endpoints.invalidate(error);
  };
  const connectTimeoutMs = embedded ? connectTimeoutsMs.embedded : connectTimeoutsMs.external;
  const attempts = createConnectionAttempts({ connectTimeoutMs, displayName, log });
  const open = new Set<{ end(): Promise<void> }>();
  const schemas = new Map(presentSchemas.map((schema) => [schema, Promise.resolve()]));
  let closed: Promise<void> | undefined;

  const schemaReady = (schema: string): Promise<void> => {
    const made = schemas.get(schema) ?? makeSchema(servers, schema, attempts);
    schemas.set(schema, made);
    made.catch(() => schemas.delete(schema));
    return made;
  };
  const refuseClosed = () => {
    if (closed) throw new Error("this database is closed");
  };

  return {
    embedded,
    displayName,
    brokenConnectionCount: () => brokenConnections,
    pool: (schema, { max = 4, maxWaiting, acquireTimeoutMs, ...choices } = {}) => {
      refuseClosed();
      const config = clientConfig(servers, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      const ready = () => schemaReady(schema);
      const pool = openPool({ ...config, max }, { attempts, ready, onBroken, maxWaiting, acquireTimeoutMs });
      open.add(pool);
      const end = () => {
        open.delete(pool);
        return pool.end();
      };
      return { ...pool, end };
    },
    driverPool: async (schema, { max = 4, ...choices } = {}) => {
      refuseClosed();
      await schemaReady(schema);
      // Libraries expect no pipelining and the driver's own number parsing.
      const config = clientConfig(servers, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      const { types: _types, ...plain } = { ...config, pipeline: false, max };
      return openDriverPool(plain, open, onBroken);
    },
    connect: async (schema) => {
      refuseClosed();
      const config = clientConfig(servers, { schema: identifier(schema) });
      await schemaReady(schema);
      const connection = await attempts.open({
        connect: () => openConnection(config),
        isWanted: () => closed === undefined,
        dispose: (connection) => void connection.close().catch(() => undefined),
      });
      const entry = { end: () => connection.close() };
      open.add(entry);
      connection.onLost((error) => {
        open.delete(entry);
        onBroken(error);
      });
      const close = () => {
        open.delete(entry);
        return connection.close();
      };
      return { ...connection, close };
    },
    close: () =>
      (closed ??= (async () => {
        const timer = new AbortController();
        const drained = Promise.all([...open].map((each) => each.end()));
        await Promise.race([drained, setTimeout(DRAIN_TIMEOUT_MS, undefined, { signal: timer.signal })]);
        timer.abort();
        liveness?.close();
        await stop?.();
      })()),
  };
}

async function makeSchema(servers: Servers, schema: string, attempts: ConnectionAttempts): Promise<void> {
  const deps = {
    attempts,
    ready: () => Promise.resolve(),
    onBroken: (error: unknown) => servers.endpoints.invalidate(error),
  };
  const pool = openPool({ ...clientConfig(servers, {}), max: 1 }, deps);
  try {
    await ensureSchema((work) => pool.transaction(work), schema);
  } finally {
    await pool.end();
  }
}

interface OpenOptions {
  readonly dataFolder: string;
  readonly url?: string | undefined;
  /** Server settings of the embedded server; override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** Follows the application name of every session, for those who look at the server's sessions. */
  readonly processLabel?: string | undefined;
  /** true: a read-only replica is accepted. */
  readonly onlyReads?: boolean;
}

/** Starts or takes over the server in `<dataFolder>/postgres`, or connects to `url`. @errors DatabaseUnavailable */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { dataFolder, url, settings = {}, log = () => undefined, onlyReads = false, processLabel } = options;
  if (url) {
    const address = urlAddress(url);
    await checkServer(address, onlyReads);
    return databaseAt(address, { embedded: false, log, processLabel, onlyReads });
  }
  const server = await openEmbedded({ dataFolder, settings, log });
  const address = socketAddress(server.socketFolder, { user: APP_ROLE, password: server.password });
  return databaseAt(address, { embedded: true, stop: () => server.close(), log, processLabel });
}

/**
 * Like `openDatabase`, but if another process runs the server of the data folder, connects to that server and leaves it running.
 * @errors DatabaseUnavailable
 */
export async function joinDatabase(options: OpenOptions): Promise<Database> {
  const running = options.url ? undefined : await runningServer(options.dataFolder);
  if (!running) return openDatabase(options);
  const { socket, password } = running;
  const address = socketAddress(socket.path, { user: APP_ROLE, password });
  const { log, processLabel } = options;
  return databaseAt(address, { embedded: true, stop: () => Promise.resolve(socket.close()), log, processLabel });
}

const STATE = statement("", `select ${SESSION_STATE}`);

async function stateOf(config: ReturnType<typeof clientConfig>): Promise<SessionState | undefined> {
  const connection = await openConnection(config);
  try {
    return await connection.one<SessionState>(STATE, []);
  } finally {
    await connection.close();
  }
}

/** Connects once and checks the server before anything is created on it. @errors DatabaseUnavailable */
async function checkServer(address: DatabaseAddress, onlyReads: boolean): Promise<void> {
  const config = clientConfig({ address, endpoints: openEndpoints(address) }, {});
  const { displayName } = address;
  try {
    const state = await stateOf(config);
    if (!onlyReads && state?.is_standby)
      throw new DatabaseUnavailable(
        `PostgreSQL at ${displayName} is a read-only replica. Set DATABASE_URL to the primary, or name all servers and target_session_attrs=read-write.`,
      );
    if (!onlyReads && state?.is_read_only)
      throw new DatabaseUnavailable(
        `PostgreSQL at ${displayName} takes no writes: default_transaction_read_only is on there. Turn it off for this role and database, or set DATABASE_URL to another server.`,
      );
    await refuseSharedSessions(() => openConnection(config), displayName);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(
      `PostgreSQL at ${displayName} can't be used: ${failureLine(error)}. Check DATABASE_URL and that the server runs, or leave DATABASE_URL out to use the embedded server.`,
    );
  }
}
