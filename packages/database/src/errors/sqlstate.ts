/** Error codes of PostgreSQL by condition name (appendix "PostgreSQL Error Codes" of its documentation). */
export const SQLSTATE = {
  FEATURE_NOT_SUPPORTED: "0A000",
  UNIQUE_VIOLATION: "23505",
  READ_ONLY_SQL_TRANSACTION: "25006",
  IDLE_IN_TRANSACTION_SESSION_TIMEOUT: "25P03",
  TRANSACTION_TIMEOUT: "25P04",
  INVALID_SQL_STATEMENT_NAME: "26000",
  INVALID_AUTHORIZATION_SPECIFICATION: "28000",
  SERIALIZATION_FAILURE: "40001",
  DEADLOCK_DETECTED: "40P01",
  INSUFFICIENT_PRIVILEGE: "42501",
  INSUFFICIENT_RESOURCES: "53000",
  DISK_FULL: "53100",
  OUT_OF_MEMORY: "53200",
  TOO_MANY_CONNECTIONS: "53300",
  CONFIGURATION_LIMIT_EXCEEDED: "53400",
  LOCK_NOT_AVAILABLE: "55P03",
  QUERY_CANCELED: "57014",
  ADMIN_SHUTDOWN: "57P01",
  CRASH_SHUTDOWN: "57P02",
  CANNOT_CONNECT_NOW: "57P03",
  DATABASE_DROPPED: "57P04",
  IDLE_SESSION_TIMEOUT: "57P05",
  SYSTEM_ERROR: "58000",
  IO_ERROR: "58030",
} as const;
export type SqlState = (typeof SQLSTATE)[keyof typeof SQLSTATE];

/** True if an error has the code. Works for errors of another realm. */
export const hasSqlState = (error: unknown, code: SqlState): boolean =>
  typeof error === "object" && error !== null && Reflect.get(error, "code") === code;
