import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { runOn, type ConnectionConfig } from "./client.ts";
import { isConnectionLost, isDegraded, isStalePlan } from "./errors/failure.ts";
import type { ConnectionAttempts } from "./reach.ts";
import { statement, type Db } from "./statement.ts";
import { turnstile, type TurnstileOptions } from "./turnstile.ts";

/** A pool of connections that are opened on demand and survive a restart of the server. */
export interface Pool extends Db {
  /** Runs the callback in one transaction; an exception rolls back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Resolves when running statements have ended and the connections are closed. */
  end(): Promise<void>;
}

const BEGIN = statement("", "BEGIN");
const COMMIT = statement("", "COMMIT");
const ROLLBACK = statement("", "ROLLBACK");

/** @assumed An idle connection is closed after a minute, except the last one of a pool. */
const IDLE = { min: 1, idleTimeoutMillis: 60_000 };

/** Configuration of a pool's connections, with their maximum number. */
export type PoolConfig = ConnectionConfig & { readonly max: number };

const driverPool = (config: PoolConfig): pg.Pool => new pg.Pool({ ...IDLE, ...config });

/** A driver pool that survives broken connections and can be ended twice. It is a member of `open` until it ends. */
export function openDriverPool(
  config: PoolConfig,
  open: Set<{ end(): Promise<void> }>,
  broken: PoolDeps["broken"],
): pg.Pool {
  const pool = driverPool(config);
  hearErrors(pool, broken);
  const end: () => Promise<void> = pool.end.bind(pool);
  let ended: Promise<void> | undefined;
  const entry = {
    end: () => {
      open.delete(entry);
      return (ended ??= end());
    },
  };
  open.add(entry);
  return Object.assign(pool, entry);
}

/** A broken connection fails its own statement. Without listeners, the additional error event would end the process. */
const hearErrors = (pool: pg.Pool, broken: PoolDeps["broken"]): void => {
  pool.on("error", broken);
  pool.on("connect", (client) => client.on("error", () => undefined));
};

/** Maximum time that an unresponsive server delays the end of a pool. @units milliseconds */
const FAREWELL = 2_000;

export interface PoolDeps extends Pick<TurnstileOptions, "maxWaiting" | "patienceMs"> {
  readonly reach: ConnectionAttempts;
  /** Awaited before each use; creates the schema once. */
  readonly ready: () => Promise<void>;
  /** Called for each connection that is lost or discarded. */
  readonly broken: (error: unknown) => void;
}

/** Opens a pool. If all connections are in use, callers wait in a bounded queue. @errors QueueFull, DatabaseAway from each use */
export function openPool(config: PoolConfig, deps: PoolDeps): Pool {
  const { reach, ready, maxWaiting, patienceMs } = deps;
  const pool = driverPool(config);
  const gate = turnstile({ max: config.max, maxWaiting, patienceMs });
  let ended: Promise<void> | undefined;
  let promised = 0;
  hearErrors(pool, deps.broken);

  const take = async (): Promise<pg.PoolClient> => {
    // The driver counts a connection as idle until it has been handed out.
    if (pool.idleCount > promised) {
      promised++;
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      } finally {
        promised--;
      }
    }
    return reach.through({
      connect: () => pool.connect(),
      goOn: () => ended === undefined,
      giveBack: (late) => late.release(),
    });
  };

  const use = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    await ready();
    await gate.enter();
    try {
      const client = await take();
      let isGivenUp = false;
      try {
        return await work(client);
      } catch (error) {
        const isTroubled = isConnectionLost(error) || isDegraded(error);
        if (isTroubled) deps.broken(error);
        isGivenUp = isTroubled || isStalePlan(error);
        throw error;
      } finally {
        client.release(isGivenUp);
      }
    } finally {
      gate.leave();
    }
  };

  const end = async (): Promise<void> => {
    const over = new AbortController();
    await Promise.race([pool.end(), setTimeout(FAREWELL, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  };

  const dbOn = (client: pg.ClientBase, open: () => boolean): Db => {
    const rows = async <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> => {
      if (!open()) throw new Error("this transaction is over");
      return runOn<R>(client, text, values);
    };
    return { rows, one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0] };
  };

  const rows = <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> =>
    use((client) => runOn<R>(client, text, values));

  return {
    rows,
    one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0],
    transaction: (work) =>
      use(async (client) => {
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
    end: () => (ended ??= end()),
  };
}
