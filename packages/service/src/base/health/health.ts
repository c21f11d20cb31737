import { isUnavailable, SQLSTATE, type Database, type Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { healthStore, ReadOnlyServer } from "./store.ts";

/** -> why requests can't be answered now; undefined: the database takes writes */
export type HealthCheck = () => Promise<string | undefined>;

interface HealthDeps {
  readonly database: Pick<Database, "brokenConnectionCount">;
  readonly pool: Pool;
  readonly log: Log;
}

/** How long a result is cached, so that frequent polling costs the database nothing. @units milliseconds */
const CACHE_MS = { good: 2_000, bad: 500 };

const UNREACHABLE = "The database can't be reached. Check that PostgreSQL runs and that DATABASE_URL leads to it.";

/** Public reasons by error code, without internal details. The log contains those. */
const REASONS: Readonly<Record<string, string>> = {
  [SQLSTATE.READ_ONLY_SQL_TRANSACTION]: "The database takes no writes. Turn default_transaction_read_only off there.",
  [SQLSTATE.DISK_FULL]: "The disk of the database is full. Make room there.",
  [SQLSTATE.OUT_OF_MEMORY]: "The database is out of memory.",
  [SQLSTATE.TOO_MANY_CONNECTIONS]:
    "The database takes no more connections. Raise its max_connections, or end other clients.",
  [SQLSTATE.CONFIGURATION_LIMIT_EXCEEDED]: "The database has reached a limit of its configuration.",
  [SQLSTATE.IO_ERROR]: "The disk of the database fails. Look at its log.",
};

const REPLICA =
  "The database is a read-only replica. Set DATABASE_URL to the primary, or name all servers and target_session_attrs=read-write.";

const reasonOf = (error: unknown): string => {
  if (error instanceof ReadOnlyServer && error.isReplica) return REPLICA;
  return REASONS[String((error as { code?: unknown } | null)?.code)] ?? UNREACHABLE;
};

interface CheckResult {
  readonly at: number;
  readonly troubles: number;
  readonly reason: string | undefined;
}

/**
 * Checks the database with a write. The result is cached for a bounded time; a good result only until a connection breaks or is given up.
 * @errors errors that are not caused by the database server
 */
export const healthCheck = ({ database, pool, log }: HealthDeps): HealthCheck => {
  const store = healthStore(pool);
  let last: CheckResult | undefined;
  let pending: Promise<string | undefined> | undefined;

  const check = async (): Promise<string | undefined> => {
    const troubles = database.brokenConnectionCount();
    const reason = await store.probe().then(
      () => undefined,
      (error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return reasonOf(error);
      },
    );
    if (reason !== last?.reason)
      log(reason ?? "The database takes writes again.", {
        level: reason === undefined ? "info" : "error",
        part: "health",
      });
    last = { at: performance.now(), troubles, reason };
    return reason;
  };

  return () => {
    const isFresh = last && performance.now() - last.at < (last.reason === undefined ? CACHE_MS.good : CACHE_MS.bad);
    if (last && isFresh && (last.reason !== undefined || last.troubles === database.brokenConnectionCount()))
      return Promise.resolve(last.reason);
    return (pending ??= check().finally(() => (pending = undefined)));
  };
};
