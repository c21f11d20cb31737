import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { runOn, type ConnectionConfig } from "./client.ts";
import { isConnectionLost, isDegraded, isStalePlan } from "./errors/failure.ts";
import type { ConnectionAttempts } from "./reach.ts";
import { statement, type Db } from "./statement.ts";
import { turnstile, type TurnstileOptions } from "./turnstile.ts";

/** Connections that are made when needed and outlive a restart of the server. */
export interface Pool extends Db {
  /** Runs the work in one transaction, which its `Db` speaks for; a throw rolls back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Resolves when the statements under way are done and the connections closed. */
  end(): Promise<void>;
}

const BEGIN = statement("", "BEGIN");
const COMMIT = statement("", "COMMIT");
const ROLLBACK = statement("", "ROLLBACK");

/** @assumed an idle connection is closed after a minute, the last one of a pool never */
const IDLE = { min: 1, idleTimeoutMillis: 60_000 };

/** Connections of a pool, and how many at most. */
export type PoolConfig = ConnectionConfig & { readonly max: number };

/** The driver's own type of a client's class is one without arguments. */
const driverPool = (config: PoolConfig): pg.Pool => new pg.Pool({ ...IDLE, ...config });

/** A driver's pool that survives broken connections, and that may be ended twice; it stands in `open` until it is. */
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

/** A connection that breaks fails its own statement; these events say it once more and would end the process. */
const hearErrors = (pool: pg.Pool, broken: PoolDeps["broken"]): void => {
  pool.on("error", broken);
  pool.on("connect", (client) => client.on("error", () => undefined));
};

/** How long a server that is silent may hold up the end of a pool. @units milliseconds */
const FAREWELL = 2_000;

export interface PoolDeps extends Pick<TurnstileOptions, "maxWaiting" | "patienceMs"> {
  readonly reach: ConnectionAttempts;
  /** Awaited before each use: it makes the schema once. */
  readonly ready: () => Promise<void>;
  /** Hears of each connection that broke or was given up. */
  readonly broken: (error: unknown) => void;
}

/** Opens a pool. Whoever finds all connections in use waits in a bounded queue. @errors QueueFull, DatabaseAway from each use */
export function openPool(config: PoolConfig, deps: PoolDeps): Pool {
  const { reach, ready, maxWaiting, patienceMs } = deps;
  const pool = driverPool(config);
  const gate = turnstile({ max: config.max, maxWaiting, patienceMs });
  let ended: Promise<void> | undefined;
  let promised = 0;
  hearErrors(pool, deps.broken);

  const take = async (): Promise<pg.PoolClient> => {
    // The driver counts one as idle until it has handed it over.
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
