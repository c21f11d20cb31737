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

/** The server says so: going down, crashed, still starting, no room for one more, or the connection broke. */
const LOST_STATES = /^(57P0[123]|53300|08...)$/;
const LOST_ERRNOS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTCONN"]);
/** The driver gives these no code. */
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|timeout expired|timeout exceeded when trying to connect|write after end)/;

const field = (error: unknown, name: "code" | "message" | "syscall" | "name"): string => {
  const value: unknown = typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
};

/**
 * True when the connection, not the statement, is at fault: reads and repeatable writes may be sent again once reconnected.
 * Whether a write that was under way took effect is not known.
 */
export const isConnectionLost = (error: unknown): boolean =>
  LOST_STATES.test(field(error, "code")) ||
  LOST_ERRNOS.has(field(error, "code")) ||
  LOST_MESSAGES.test(field(error, "message")) ||
  isSocketMissing(error) ||
  isAway(error);

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
export const lineOf = (error: unknown): string =>
  (field(error, "message") || field(error, "code") || String(error)).split("\n", 1)[0] ?? "";
