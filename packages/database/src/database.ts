import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Address } from "./address.ts";
import { socketAddress, urlAddress } from "./address.ts";
import { clientConfig, type ClientChoices } from "./client.ts";
import { openConnection, type Connection } from "./connection.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { runningSocket } from "./embedded/running.ts";
import { DatabaseUnavailable, lineOf } from "./failure.ts";
import { openDriverPool, openPool, type Pool } from "./pool.ts";
import { reach as openReach, type Reach } from "./reach.ts";
import { ensureSchema, identifier } from "./schema.ts";

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
  address: Address,
  embedded: boolean,
  stop: () => Promise<void>,
  log?: (line: string) => void,
): Database {
  const { place } = address;
  const reach = openReach({ patienceMs: embedded ? PATIENCE.embedded : PATIENCE.own, place, log });
  const open = new Set<{ end(): Promise<void> }>();
  const schemas = new Map<string, Promise<void>>();
  let closed: Promise<void> | undefined;

  const schemaReady = (schema: string): Promise<void> => {
    const made = schemas.get(schema) ?? makeSchema(address, schema, reach);
    schemas.set(schema, made);
    made.catch(() => schemas.delete(schema));
    return made;
  };
  const refuseClosed = () => {
    if (closed) throw new Error("this database is closed");
  };

  return {
    embedded,
    pool: (schema, { max = 4, maxWaiting, patienceMs, ...choices } = {}) => {
      refuseClosed();
      const config = clientConfig(address, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      const ready = () => schemaReady(schema);
      const pool = openPool({ ...config, max }, { reach, ready, maxWaiting, patienceMs });
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
      const config = clientConfig(address, { ...choices, schema: identifier(schema) } satisfies ClientChoices);
      return openDriverPool({ ...config, types: undefined, pipeline: false, max }, open);
    },
    connect: async (schema) => {
      refuseClosed();
      const config = clientConfig(address, { schema: identifier(schema) });
      await schemaReady(schema);
      const connection = await reach.through({
        connect: () => openConnection(config),
        goOn: () => closed === undefined,
        giveBack: (late) => void late.close().catch(() => undefined),
      });
      const entry = { end: () => connection.close() };
      open.add(entry);
      connection.onLost(() => open.delete(entry));
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
        await Promise.race([drained, wait(DRAIN, undefined, { signal: timer.signal })]);
        timer.abort();
        await stop();
      })()),
  };
}

async function makeSchema(address: Address, schema: string, reach: Reach): Promise<void> {
  const pool = openPool({ ...clientConfig(address, {}), max: 1 }, { reach, ready: () => Promise.resolve() });
  try {
    await ensureSchema((work) => pool.transaction(work), schema);
  } finally {
    await pool.end();
  }
}

/** Starts (or takes over) the server in `<dataFolder>/postgres`, or connects to `url`. @errors DatabaseUnavailable */
export async function openDatabase(options: {
  dataFolder: string;
  url?: string | undefined;
  /** Of the embedded server, over its usual ones. */
  settings?: Readonly<Record<string, string>>;
  log?: (line: string) => void;
}): Promise<Database> {
  const { dataFolder, url, settings = {}, log = () => undefined } = options;
  if (url) {
    const address = urlAddress(url);
    await tryOut(address);
    return databaseAt(address, false, () => Promise.resolve(), log);
  }
  const server = await openEmbedded({ dataFolder, settings, log });
  return databaseAt(socketAddress(server.socketFolder), true, () => server.close(), log);
}

/**
 * As `openDatabase`, but beside a process that has the data folder's server running already: its server is used, and left running.
 * @errors DatabaseUnavailable
 */
export async function joinDatabase(options: Parameters<typeof openDatabase>[0]): Promise<Database> {
  const running = options.url ? undefined : await runningSocket(options.dataFolder);
  if (!running) return openDatabase(options);
  return databaseAt(socketAddress(running.path), true, () => Promise.resolve(running.close()), options.log);
}

async function tryOut(address: Address): Promise<void> {
  try {
    const connection = await openConnection(clientConfig(address, {}));
    await connection.close();
  } catch (error) {
    throw new DatabaseUnavailable(
      `PostgreSQL at ${address.place} can't be used: ${lineOf(error)}. Check DATABASE_URL and that the server runs, or leave DATABASE_URL out to use the embedded server.`,
    );
  }
}
