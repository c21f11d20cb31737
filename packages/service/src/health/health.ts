import { isUnavailable, SQLSTATE, type Database, type Pool } from "@parley/database";
import { healthStore, ReadOnlyServer } from "./store.ts";

/** -> why requests can't be answered now; undefined: they can */
export type HealthCheck = () => Promise<string | undefined>;

interface HealthDeps {
  readonly database: Pick<Database, "brokenConnectionCount">;
  readonly pool: Pool;
  readonly log: (line: string) => void;
}

/** How long an answer holds, so that whoever polls costs the database nothing. @units milliseconds */
const HOLDS_MS = { good: 2_000, bad: 500 };

const UNREACHABLE = "The database can't be reached. Check that PostgreSQL runs and that DATABASE_URL leads to it.";

/** For whoever asks, without anything of the inside; the log says more. */
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

interface Finding {
  readonly at: number;
  readonly troubles: number;
  readonly reason: string | undefined;
}

/**
 * Tries to write. What it finds holds for a bounded time; that all is well no longer than until a connection breaks or is given up.
 * @errors what is no trouble of the server
 */
export const healthCheck = ({ database, pool, log }: HealthDeps): HealthCheck => {
  const store = healthStore(pool);
  let last: Finding | undefined;
  let looking: Promise<string | undefined> | undefined;

  const look = async (): Promise<string | undefined> => {
    const troubles = database.brokenConnectionCount();
    const reason = await store.probe().then(
      () => undefined,
      (error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return reasonOf(error);
      },
    );
    if (reason !== last?.reason) log(`health: ${reason ?? "The database takes writes again."}`);
    last = { at: performance.now(), troubles, reason };
    return reason;
  };

  return () => {
    const holds = last && performance.now() - last.at < (last.reason === undefined ? HOLDS_MS.good : HOLDS_MS.bad);
    if (last && holds && (last.reason !== undefined || last.troubles === database.brokenConnectionCount()))
      return Promise.resolve(last.reason);
    return (looking ??= look().finally(() => (looking = undefined)));
  };
};
