import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { runOn, type ConnectionConfig } from "./client.ts";
import { isConnectionLost, isDegraded, isStalePlan } from "./errors/failure.ts";
import type { ConnectionAttempts } from "./connection-attempts.ts";
import { statement, type Db, type Transaction } from "./statement.ts";
import { createSemaphore, type SemaphoreOptions } from "./semaphore.ts";

/** A pool of connections that are opened on demand and survive a restart of the server. */
export interface Pool extends Db {
  /** Runs the callback in one transaction; an exception rolls back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  usage(): PoolUsage;
  /** Resolves when running statements have ended and the connections are closed. */
  end(): Promise<void>;
}

/** Connections of a pool, and callers that wait for a connection. */
interface PoolUsage {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

/** @assumed An idle connection is closed after a minute, except the last one of a pool. */
const idleOptions = { min: 1, idleTimeoutMillis: 60_000 };

/** Configuration of a pool's connections, with their maximum number. */
type PoolConfig = ConnectionConfig & { readonly max: number };

const driverPool = (config: PoolConfig): pg.Pool => new pg.Pool({ ...idleOptions, ...config });

/** Maximum time that an unresponsive server delays the end of a pool. @units milliseconds */
const END_TIMEOUT_MS = 2_000;

/** Ends the pool when its connections are idle, and stops waiting for them after a timeout. */
const endInTime = async (end: () => Promise<void>): Promise<void> => {
  const timer = new AbortController();
  await Promise.race([end(), setTimeout(END_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
};

/** A driver pool that survives broken connections and can be ended twice. It is a member of `open` until it ends. */
export function openDriverPool(
  config: PoolConfig,
  open: Set<{ end(): Promise<void> }>,
  onBroken: PoolDeps["onBroken"],
): pg.Pool {
  const pool = driverPool(config);
  handleErrors(pool, onBroken);
  const end: () => Promise<void> = pool.end.bind(pool);
  let ended: Promise<void> | undefined;
  const entry = {
    end: () => {
      open.delete(entry);
      return (ended ??= endInTime(end));
    },
  };
  open.add(entry);
  return Object.assign(pool, entry);
}

/** A broken connection fails its own statement. Without listeners, the additional error event would end the process. */
const handleErrors = (pool: pg.Pool, onBroken: PoolDeps["onBroken"]): void => {
  pool.on("error", onBroken);
  pool.on("connect", (client) => client.on("error", () => undefined));
};

interface PoolDeps extends Pick<SemaphoreOptions, "maxWaiting" | "acquireTimeoutMs"> {
  readonly attempts: ConnectionAttempts;
  /** Awaited before each use; creates the schema once. */
  readonly ready: () => Promise<void>;
  /** Called for each connection that is lost or discarded. */
  readonly onBroken: (error: unknown) => void;
}

/** Opens a pool. If all connections are in use, callers wait in a bounded queue. @errors QueueFull, DatabaseUnreachable from each use */
export function openPool(config: PoolConfig, deps: PoolDeps): Pool {
  const { attempts, ready, maxWaiting, acquireTimeoutMs } = deps;
  const pool = driverPool(config);
  const semaphore = createSemaphore({ max: config.max, maxWaiting, acquireTimeoutMs });
  let ended: Promise<void> | undefined;
  let checkingOut = 0;
  handleErrors(pool, deps.onBroken);

  const acquireClient = async (): Promise<pg.PoolClient> => {
    // The driver counts a connection as idle until it has been handed out.
    if (pool.idleCount > checkingOut) {
      checkingOut++;
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      } finally {
        checkingOut--;
      }
    }
    return attempts.open({
      connect: () => pool.connect(),
      isWanted: () => ended === undefined,
      dispose: (client) => client.release(),
    });
  };

  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    await ready();
    await semaphore.acquire();
    try {
      const client = await acquireClient();
      let isDiscarded = false;
      try {
        return await work(client);
      } catch (error) {
        const isBroken = isConnectionLost(error) || isDegraded(error);
        if (isBroken) deps.onBroken(error);
        isDiscarded = isBroken || isStalePlan(error);
        throw error;
      } finally {
        client.release(isDiscarded);
      }
    } finally {
      semaphore.release();
    }
  };

  const dbOn = (client: pg.ClientBase, open: () => boolean): Transaction => {
    const rows = async <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> => {
      if (!open()) throw new Error("this transaction is over");
      return runOn<R>(client, text, values);
    };
    return { rows, one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0], isTransaction: true };
  };

  const rows = async <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> => {
    const run = () => withClient((client) => runOn<R>(client, text, values));
    for (let attempt = 0; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        // A migration changed the result of a prepared statement, which was not executed. Other connections may have prepared it, too.
        if (!isStalePlan(error) || attempt === config.max) throw error;
      }
    }
  };

  return {
    rows,
    one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0],
    transaction: (work) =>
      withClient(async (client) => {
        let open = true;
        await runOn(client, BEGIN, []);
        try {
          const result = await work(dbOn(client, () => open));
          open = false;
          await runOn(client, COMMIT, []);
          return result;
        } catch (error) {
          open = false;
          if (!isConnectionLost(error)) await runOn(client, ROLLBACK, []);
          throw error;
        }
      }),
    usage: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: semaphore.waiting(),
    }),
    end: () => (ended ??= endInTime(() => pool.end())),
  };
}
