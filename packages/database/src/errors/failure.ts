/** The database can't be had at all; the message is one line that says what to do, and never holds a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** The schema was written by a newer release than the one that runs, or by another one. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/** The server can't be reached for some time now; nothing was sent to it. */
export class DatabaseAway extends Error {
  override readonly name = "DatabaseAway";
}

/** Too many requests wait already; nothing was done for this one. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/** None of the servers that answer is what the address asks for; another one may become so. */
export class NoSuitableServer extends Error {
  override readonly name = "NoSuitableServer";
}

/**
 * What a state of the server means for whoever sent a statement:
 * - lost: the connection is gone. Whether a write that was under way took effect is not known; reads may be sent again.
 * - degraded: the server is there and can't do it now: nothing took effect. The connection is given up, since the next one may lead to
 *   another server or find other limits.
 * - passing: nothing took effect, and the same statement may succeed at once on the same connection.
 */
export type ServerTrouble = "lost" | "degraded" | "passing";

/**
 * By SQLSTATE; all others are a defect of the statement or of the data. Not in here: XX001 and XX002, corrupted data or index, and 58P01, a
 * missing file, which no waiting mends and which a person has to see.
 */
const TROUBLE_BY_STATE: Readonly<Record<string, ServerTrouble>> = {
  "25006": "degraded", // read only: a replica, or default_transaction_read_only
  "25P03": "lost", // ended since its transaction was idle
  "25P04": "lost", // ended since its transaction took too long
  "40001": "passing", // could not be serialised
  "40P01": "passing", // deadlock
  "53000": "degraded", // insufficient resources
  "53100": "degraded", // disk full
  "53200": "degraded", // out of memory
  "53300": "lost", // too many connections: refused before it began
  "53400": "degraded", // a configured limit, such as temp_file_limit
  "55P03": "passing", // waited too long for a lock
  "57014": "passing", // took too long
  "57P01": "lost", // ended by an administrator or a shutdown
  "57P02": "lost", // ended since another one crashed
  "57P03": "lost", // starts, stops or recovers
  "57P04": "lost", // its database was dropped
  "57P05": "lost", // ended since it was idle
  "58000": "degraded", // error of the system
  "58030": "degraded", // input or output failed
};

const LOST_ERRNOS = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTCONN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** The driver gives these no code. */
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|timeout expired|timeout exceeded when trying to connect|write after end)/;

const field = (error: unknown, name: "code" | "message" | "syscall" | "name"): string => {
  const value: unknown = typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
};

/** What is wrong with the server or the connection to it. -> undefined where it is neither */
export const serverTrouble = (error: unknown): ServerTrouble | undefined => {
  const code = field(error, "code");
  const known = Object.hasOwn(TROUBLE_BY_STATE, code) ? TROUBLE_BY_STATE[code] : undefined;
  if (known) return known;
  const isLost =
    // Class 08: connection exceptions.
    /^08...$/.test(code) ||
    LOST_ERRNOS.has(code) ||
    LOST_MESSAGES.test(field(error, "message")) ||
    isSocketMissing(error) ||
    isAway(error) ||
    field(error, "name") === "NoSuitableServer";
  return isLost ? "lost" : undefined;
};

/**
 * True when the connection, not the statement, is at fault: reads and repeatable writes may be sent again once reconnected.
 * Whether a write that was under way took effect is not known.
 */
export const isConnectionLost = (error: unknown): boolean => serverTrouble(error) === "lost";

/** True when the server is there and can't do what it is asked for, such as to write: nothing took effect, and to ask at once again is no use. */
export const isDegraded = (error: unknown): boolean => serverTrouble(error) === "degraded";

/** Errors by which this package says that it could not get to the server. By name, since `instanceof` fails between two copies of a module. */
const UNAVAILABLE_NAMES = ["QueueFull", "DatabaseAway", "DatabaseUnavailable"];

/** True when nothing was sent: too many wait already, or the server is away for some time. Whoever found that out has logged it. */
export const isRefusedUnsent = (error: unknown): boolean => UNAVAILABLE_NAMES.includes(field(error, "name"));

/** True when the database can't do it now, and the same may succeed later. */
export const isUnavailable = (error: unknown): boolean => isRefusedUnsent(error) || serverTrouble(error) !== undefined;

/** Somebody waited for the server already: to ask again at once is no use. By name, since `instanceof` fails between two copies of a module. */
export const isAway = (error: unknown): boolean => field(error, "name") === "DatabaseAway";

/** The server ended a statement that took too long, or that waited too long for what somebody else holds. */
export const isTimedOut = (error: unknown): boolean => ["57014", "55P03"].includes(field(error, "code"));

/** Items of a batch that may run out of time one after the other; the rest of the batch is refused then, so that it holds up nobody. */
export const MOST_TIMED_OUT = 2;

/** A server that is down takes its socket's file with it. */
const isSocketMissing = (error: unknown): boolean =>
  field(error, "code") === "ENOENT" && field(error, "syscall") === "connect";

/** True for a prepared statement that the server or a change of schema took away: only a new connection helps. */
export const isStalePlan = (error: unknown): boolean =>
  field(error, "code") === "26000" ||
  (field(error, "code") === "0A000" && field(error, "message").startsWith("cached plan"));

/** The one line of an error that a person may be shown. */
export const failureLine = (error: unknown): string =>
  (field(error, "message") || field(error, "code") || String(error)).split("\n", 1)[0] ?? "";
