import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { socketAddress, urlAddress, type DatabaseAddress } from "./address.ts";
import { clientConfig, type ClientChoices, type Servers } from "./client.ts";
import { openConnection, type Connection } from "./connection.ts";
import { APP_ROLE } from "./embedded/access.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { runningServer } from "./embedded/running.ts";
import { openEndpoints, SESSION_STATE, type SessionState } from "./endpoints.ts";
import { DatabaseUnavailable, failureLine } from "./errors/failure.ts";
import { refuseSharedSessions } from "./pooler.ts";
import { openDriverPool, openPool, type Pool } from "./pool.ts";
import { reach as openReach, type ConnectionAttempts } from "./reach.ts";
import { ensureSchema, identifier } from "./schema.ts";
import { statement } from "./statement.ts";

/** What a caller may choose for a pool. */
export interface PoolOptions {
  /** Most connections; 4 unless told. */
  readonly max?: number;
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
  /** Server settings of each of its connections, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Most that may wait for a connection; 1000 unless told. */
  readonly maxWaiting?: number;
  /** How long one may wait for a connection; 5 s unless told. @units milliseconds */
  readonly patienceMs?: number;
}

/** One PostgreSQL database, the embedded one or somebody's own. */
export interface Database {
  /** A pool of connections whose `search_path` is this schema (created if missing). It connects when first used. */
  pool(schema: string, options?: PoolOptions): Pool;
  /** One connection of its own (LISTEN, advisory locks, pipelining); reconnects are the caller's business: `onLost` tells. */
  connect(schema: string): Promise<Connection>;
  /** The driver's own pool, for a library that brings its statements itself; its schema is there. Whoever asks ends it. */
  driverPool(schema: string, options?: Pick<PoolOptions, "max" | "applicationName">): Promise<pg.Pool>;
  readonly embedded: boolean;
  /** How messages name its server. */
  readonly place: string;
  /** How many connections broke or were given up so far: what was found out of the server before the last one may not hold any more. */
  troubles(): number;
  /** Ends pools and connections, then the embedded server. May be called again. */
  close(): Promise<void>;
}

/** How long statements under way may hold up a close. @units milliseconds */
const DRAIN = 5_000;

/**
 * How long a request may wait for a server that is away; the embedded one is being started again meanwhile.
 * @units milliseconds
 */
const PATIENCE = { own: 1_500, embedded: 5_000 };

/** Offers a database behind an address; `stop` runs last on close. */
export function databaseAt(
  address: DatabaseAddress,
  embedded: boolean,
  stop: () => Promise<void>,
  log?: (line: string) => void,
): Database {
  const { place } = address;
  const servers = { address, endpoints: openEndpoints(address) };
  let troubles = 0;
  const broken = (error: unknown): void => {
    troubles += 1;
    servers.endpoints.doubt(error);
  };
  const reach = openReach({ patienceMs: embedded ? PATIENCE.embedded : PATIENCE.own, place, log });
  const open = new Set<{ end(): Promise<void> }>();
  const schemas = new Map<string, Promise<void>>();
  let closed: Promise<void> | undefined;

  const schemaReady = (schema: string): Promise<void> => {
    const made = schemas.get(schema) ?? makeSchema(servers, schema, reach);
    schemas.set(schema, made);
    made.catch(() => schemas.delete(schema));
    return made;
  };
  const refuseClosed = () => {
    if (closed) throw new Error("this database is closed");
  };

  return {
    embedded,
    place,
    troubles: () => troubles,
    pool: (schema, { max = 4, maxWaiting, patienceMs, ...choices } = {}) => {
      refuseClosed();
      const config = clientConfig(servers, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      const ready = () => schemaReady(schema);
      const pool = openPool({ ...config, max }, { reach, ready, broken, maxWaiting, patienceMs });
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
      // Such a library knows nothing of pipelining and of our way to read numbers.
      const config = clientConfig(servers, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      const { types: _types, ...plain } = { ...config, pipeline: false, max };
      return openDriverPool(plain, open, broken);
    },
    connect: async (schema) => {
      refuseClosed();
      const config = clientConfig(servers, { schema: identifier(schema) });
      await schemaReady(schema);
      const connection = await reach.through({
        connect: () => openConnection(config),
        goOn: () => closed === undefined,
        giveBack: (late) => void late.close().catch(() => undefined),
      });
      const entry = { end: () => connection.close() };
      open.add(entry);
      connection.onLost((error) => {
        open.delete(entry);
        broken(error);
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
        await Promise.race([drained, setTimeout(DRAIN, undefined, { signal: timer.signal })]);
        timer.abort();
        await stop();
      })()),
  };
}

async function makeSchema(servers: Servers, schema: string, reach: ConnectionAttempts): Promise<void> {
  const deps = { reach, ready: () => Promise.resolve(), broken: (error: unknown) => servers.endpoints.doubt(error) };
  const pool = openPool({ ...clientConfig(servers, {}), max: 1 }, deps);
  try {
    await ensureSchema((work) => pool.transaction(work), schema);
  } finally {
    await pool.end();
  }
}

export interface OpenOptions {
  readonly dataFolder: string;
  readonly url?: string | undefined;
  /** Of the embedded server, over its usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
  /** true: a replica will do. */
  readonly onlyReads?: boolean;
}

/** Starts (or takes over) the server in `<dataFolder>/postgres`, or connects to `url`. @errors DatabaseUnavailable */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { dataFolder, url, settings = {}, log = () => undefined, onlyReads = false } = options;
  if (url) {
    const address = urlAddress(url);
    await tryOut(address, onlyReads);
    return databaseAt(address, false, () => Promise.resolve(), log);
  }
  const server = await openEmbedded({ dataFolder, settings, log });
  const address = socketAddress(server.socketFolder, { user: APP_ROLE, password: server.password });
  return databaseAt(address, true, () => server.close(), log);
}

/**
 * As `openDatabase`, but beside a process that has the data folder's server running already: its server is used, and left running.
 * @errors DatabaseUnavailable
 */
export async function joinDatabase(options: OpenOptions): Promise<Database> {
  const running = options.url ? undefined : await runningServer(options.dataFolder);
  if (!running) return openDatabase(options);
  const { socket, password } = running;
  const address = socketAddress(socket.path, { user: APP_ROLE, password });
  return databaseAt(address, true, () => Promise.resolve(socket.close()), options.log);
}

const STATE = statement("", `SELECT ${SESSION_STATE}`);

async function stateOf(config: ReturnType<typeof clientConfig>): Promise<SessionState | undefined> {
  const connection = await openConnection(config);
  try {
    return await connection.one<SessionState>(STATE, []);
  } finally {
    await connection.close();
  }
}

/** Connects once, before anything is made there. @errors DatabaseUnavailable */
async function tryOut(address: DatabaseAddress, onlyReads: boolean): Promise<void> {
  const config = clientConfig({ address, endpoints: openEndpoints(address) }, {});
  const { place } = address;
  try {
    const state = await stateOf(config);
    if (!onlyReads && state?.is_standby)
      throw new DatabaseUnavailable(
        `PostgreSQL at ${place} is a read-only replica. Set DATABASE_URL to the primary, or name all servers and target_session_attrs=read-write.`,
      );
    if (!onlyReads && state?.is_read_only)
      throw new DatabaseUnavailable(
        `PostgreSQL at ${place} takes no writes: default_transaction_read_only is on there. Turn it off for this role and database, or set DATABASE_URL to another server.`,
      );
    await refuseSharedSessions(() => openConnection(config), place);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(
      `PostgreSQL at ${place} can't be used: ${failureLine(error)}. Check DATABASE_URL and that the server runs, or leave DATABASE_URL out to use the embedded server.`,
    );
  }
}
