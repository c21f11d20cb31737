import { setTimeout } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import { DatabaseUnavailable, failureLine } from "./errors/failure.ts";
import { randomText } from "./environment/ports.ts";
import { statement } from "./statement.ts";

const SET_MARK = statement("", "select set_config('parley.session', $1, false)");
const GET_SESSION = statement(
  "",
  "select pg_backend_pid() as pid, coalesce(current_setting('parley.session', true), '') as mark",
);
interface SessionSample {
  readonly pid: number;
  readonly mark: string;
}

/** Number of checks: a pooler that assigns servers in rotation can return the same one twice by chance. */
const CHECKS = 3;
/** With a pooler that has one server, the second session waits for the first one's transaction. @units milliseconds */
const CHECK_TIMEOUT_MS = 3_000;

const TIMED_OUT = Symbol("timed out");

const withTimeout = async <T>(work: Promise<T>): Promise<T | typeof TIMED_OUT> => {
  const timer = new AbortController();
  const timedOut = setTimeout(CHECK_TIMEOUT_MS, undefined, { signal: timer.signal }).then(
    (): typeof TIMED_OUT => TIMED_OUT,
    (): typeof TIMED_OUT => TIMED_OUT,
  );
  return Promise.race([work, timedOut]).finally(() => timer.abort());
};

/** Returns how two connections were seen to share a session; undefined if each has its own. */
async function findSharing(one: Connection, other: Connection): Promise<string | undefined> {
  const mark = randomText(8);
  const sample = async (connection: Connection) => connection.one<SessionSample>(GET_SESSION, []);
  await one.rows(SET_MARK, [mark]);
  const before = await sample(one);
  try {
    await other.script("begin");
  } catch (error) {
    return `it refuses transactions (${failureLine(error)})`;
  }
  const concurrent = await sample(other);
  const after = await withTimeout(sample(one));
  // Not awaited yet: the pooler may block it forever.
  const ended = other.script("rollback");
  if (after === TIMED_OUT) {
    ended.catch(() => undefined);
    return "one connection waits for the transaction of another";
  }
  await ended;
  if (concurrent?.pid === before?.pid || concurrent?.mark === mark) return "two connections share a session";
  if (after?.pid !== before?.pid || after?.mark !== mark)
    return "a connection changes its session between two statements";
  return undefined;
}

/**
 * Refuses an address whose pooler shares sessions: settings, locks, prepared statements and notifications would be lost or leak to other
 * clients. The check observes behaviour and works with any pooler.
 * @errors DatabaseUnavailable
 */
export async function refuseSharedSessions(open: () => Promise<Connection>, displayName: string): Promise<void> {
  const [one, other] = [await open(), await open()];
  try {
    for (let check = 0; check < CHECKS; check++) {
      const symptom = await findSharing(one, other);
      if (symptom === undefined) continue;
      throw new DatabaseUnavailable(
        `DATABASE_URL leads through a connection pooler in transaction or statement mode at ${displayName}: ${symptom}. ` +
          "Set the pooler to session mode (PgBouncer: pool_mode = session), or use PostgreSQL's own address and port.",
      );
    }
  } finally {
    await withTimeout(Promise.allSettled([one.close(), other.close()]));
  }
}
