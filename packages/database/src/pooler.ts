import { setTimeout } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import { DatabaseUnavailable, failureLine } from "./errors/failure.ts";
import { randomText } from "./environment/ports.ts";
import { statement } from "./statement.ts";

const MARK = statement("", "SELECT set_config('parley.session', $1, false)");
const LOOK = statement(
  "",
  "SELECT pg_backend_pid() AS pid, coalesce(current_setting('parley.session', true), '') AS mark",
);
interface Seen {
  readonly pid: number;
  readonly mark: string;
}

/** Number of checks: a pooler that assigns servers in rotation can return the same one twice by chance. */
const ROUNDS = 3;
/** With a pooler that has one server, the second session waits for the first one's transaction. @units milliseconds */
const PATIENCE_MS = 3_000;

const LATE = Symbol("late");

const inTime = async <T>(work: Promise<T>): Promise<T | typeof LATE> => {
  const over = new AbortController();
  const late = setTimeout(PATIENCE_MS, undefined, { signal: over.signal }).then(
    (): typeof LATE => LATE,
    (): typeof LATE => LATE,
  );
  return Promise.race([work, late]).finally(() => over.abort());
};

/** Returns how two connections were seen to share a session; undefined if each has its own. */
async function sharing(one: Connection, other: Connection): Promise<string | undefined> {
  const mark = randomText(8);
  const look = async (connection: Connection) => connection.one<Seen>(LOOK, []);
  await one.rows(MARK, [mark]);
  const before = await look(one);
  try {
    await other.script("BEGIN");
  } catch (error) {
    return `it refuses transactions (${failureLine(error)})`;
  }
  const beside = await look(other);
  const after = await inTime(look(one));
  // Not awaited yet: the pooler may block it forever.
  const ended = other.script("ROLLBACK");
  if (after === LATE) {
    ended.catch(() => undefined);
    return "one connection waits for the transaction of another";
  }
  await ended;
  if (beside?.pid === before?.pid || beside?.mark === mark) return "two connections share a session";
  if (after?.pid !== before?.pid || after?.mark !== mark)
    return "a connection changes its session between two statements";
  return undefined;
}

/**
 * Refuses an address whose pooler shares sessions: settings, locks, prepared statements and notifications would be lost or leak to other
 * clients. The check observes behaviour and works with any pooler.
 * @errors DatabaseUnavailable
 */
export async function refuseSharedSessions(open: () => Promise<Connection>, place: string): Promise<void> {
  const [one, other] = [await open(), await open()];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const seen = await sharing(one, other);
      if (seen === undefined) continue;
      throw new DatabaseUnavailable(
        `DATABASE_URL leads through a connection pooler in transaction or statement mode at ${place}: ${seen}. ` +
          "Set the pooler to session mode (PgBouncer: pool_mode = session), or use PostgreSQL's own address and port.",
      );
    }
  } finally {
    await inTime(Promise.allSettled([one.close(), other.close()]));
  }
}
