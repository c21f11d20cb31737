import { hasSqlState, SQLSTATE } from "./sqlstate.ts";

/** The database can't be used. The message is one line with a remedy and never contains a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** The schema was written by a newer or a different release. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/** The server has been unreachable for some time; nothing was sent to it. */
export class DatabaseUnreachable extends Error {
  override readonly name = "DatabaseUnreachable";
}

/** A queue is at its limit; nothing was done for this request. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/** No reachable server matches `target_session_attrs`. That can change, for example by a failover. */
export class NoSuitableServer extends Error {
  override readonly name = "NoSuitableServer";
}

/**
 * Effect of a server error on a statement:
 * - lost: the connection is lost. The outcome of a write in progress is unknown; reads can be repeated.
 * - degraded: the server is reachable and can't execute the statement; nothing took effect. The connection is discarded, since the next
 *   one may reach another server or other limits.
 * - transient: nothing took effect, and the same statement may succeed immediately on the same connection.
 */
export type ServerErrorKind = "lost" | "degraded" | "transient";

/**
 * Classification by SQLSTATE. Every other state is a defect of the statement or of the data. XX001 and XX002 (corrupted data or index)
 * and 58P01 (missing file) are deliberately absent: no retry repairs them, and an operator has to act.
 */
const KIND_BY_SQLSTATE: Readonly<Record<string, ServerErrorKind>> = {
  [SQLSTATE.READ_ONLY_SQL_TRANSACTION]: "degraded",
  [SQLSTATE.IDLE_IN_TRANSACTION_SESSION_TIMEOUT]: "lost",
  [SQLSTATE.TRANSACTION_TIMEOUT]: "lost",
  [SQLSTATE.SERIALIZATION_FAILURE]: "transient",
  [SQLSTATE.DEADLOCK_DETECTED]: "transient",
  [SQLSTATE.INSUFFICIENT_RESOURCES]: "degraded",
  [SQLSTATE.DISK_FULL]: "degraded",
  [SQLSTATE.OUT_OF_MEMORY]: "degraded",
  [SQLSTATE.TOO_MANY_CONNECTIONS]: "lost", // refused while connecting
  [SQLSTATE.CONFIGURATION_LIMIT_EXCEEDED]: "degraded", // such as temp_file_limit
  [SQLSTATE.LOCK_NOT_AVAILABLE]: "transient",
  [SQLSTATE.QUERY_CANCELED]: "transient", // by the statement timeout
  [SQLSTATE.ADMIN_SHUTDOWN]: "lost",
  [SQLSTATE.CRASH_SHUTDOWN]: "lost",
  [SQLSTATE.CANNOT_CONNECT_NOW]: "lost", // starting, stopping or recovering
  [SQLSTATE.DATABASE_DROPPED]: "lost",
  [SQLSTATE.IDLE_SESSION_TIMEOUT]: "lost",
  [SQLSTATE.SYSTEM_ERROR]: "degraded",
  [SQLSTATE.IO_ERROR]: "degraded",
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
/** Messages of driver errors without a code. */
const LOST_CONNECTION_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|timeout expired|timeout exceeded when trying to connect|write after end)/;

const field = (error: unknown, name: "code" | "message" | "syscall" | "name"): string => {
  const value: unknown = typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
};

/** Classifies an error of the server or the connection; undefined for every other error. */
export const serverErrorKind = (error: unknown): ServerErrorKind | undefined => {
  const code = field(error, "code");
  const kind = Object.hasOwn(KIND_BY_SQLSTATE, code) ? KIND_BY_SQLSTATE[code] : undefined;
  if (kind) return kind;
  const isLost =
    // Class 08: connection exceptions.
    /^08...$/.test(code) ||
    LOST_ERRNOS.has(code) ||
    LOST_CONNECTION_MESSAGES.test(field(error, "message")) ||
    isSocketMissing(error) ||
    isUnreachable(error) ||
    field(error, "name") === "NoSuitableServer";
  return isLost ? "lost" : undefined;
};

/**
 * True if the connection is lost: reads and idempotent writes can be repeated after a reconnect. The outcome of a write in progress is
 * unknown.
 */
export const isConnectionLost = (error: unknown): boolean => serverErrorKind(error) === "lost";

/**
 * True if the server is reachable and can't execute the statement, for example because it is read-only: nothing took effect, and an
 * immediate retry is pointless.
 */
export const isDegraded = (error: unknown): boolean => serverErrorKind(error) === "degraded";

/** Errors of this package before a statement is sent. Compared by name, since `instanceof` fails between two copies of a module. */
const UNAVAILABLE_NAMES = ["QueueFull", "DatabaseUnreachable", "DatabaseUnavailable"];

/** True if nothing was sent: a queue is full, or the server has been unreachable for some time. The cause is already logged. */
export const isRefusedUnsent = (error: unknown): boolean => UNAVAILABLE_NAMES.includes(field(error, "name"));

/** True if the database can't serve the request now, and the same request may succeed later. */
export const isUnavailable = (error: unknown): boolean =>
  isRefusedUnsent(error) || serverErrorKind(error) !== undefined;

/**
 * True if the wait for the server is already over: an immediate retry is pointless. Compared by name, since `instanceof` fails between
 * two copies of a module.
 */
export const isUnreachable = (error: unknown): boolean => field(error, "name") === "DatabaseUnreachable";

/** True if the server canceled a statement after the statement timeout or the lock timeout. */
export const isTimedOut = (error: unknown): boolean =>
  hasSqlState(error, SQLSTATE.QUERY_CANCELED) || hasSqlState(error, SQLSTATE.LOCK_NOT_AVAILABLE);

/**
 * Maximum number of items of a batch that may time out one after the other. After that the rest of the batch is refused, so that it
 * doesn't block other requests.
 */
export const TIMED_OUT_ITEMS_MAX = 2;

/** A server that is stopped removes its socket file. */
const isSocketMissing = (error: unknown): boolean =>
  field(error, "code") === "ENOENT" && field(error, "syscall") === "connect";

/** True for a prepared statement that the server or a schema change invalidated: only a new connection helps. */
export const isStalePlan = (error: unknown): boolean =>
  hasSqlState(error, SQLSTATE.INVALID_SQL_STATEMENT_NAME) ||
  (hasSqlState(error, SQLSTATE.FEATURE_NOT_SUPPORTED) && field(error, "message").startsWith("cached plan"));

/** First line of an error's message, for display. */
export const failureLine = (error: unknown): string =>
  (field(error, "message") || field(error, "code") || String(error)).split("\n", 1)[0] ?? "";
