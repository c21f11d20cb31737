/** PostgreSQL: embedded server, pools, migrations, group commit, batched reads. */
export type { Connection } from "./connection.ts";
export { joinDatabase, openDatabase, type Database } from "./database.ts";
export { clusterOf } from "./embedded/home.ts";
export { findBinaries } from "./embedded/binaries.ts";
export { embeddedUrl } from "./embedded/running.ts";
export {
  DatabaseUnreachable,
  DatabaseUnavailable,
  isConnectionLost,
  isRefusedUnsent,
  isUnavailable,
  QueueFull,
  SchemaMismatch,
  serverErrorKind,
} from "./errors/failure.ts";
export { hasSqlState, SQLSTATE } from "./errors/sqlstate.ts";
export { onBatch } from "./batch-events.ts";
export { gather } from "./gather.ts";
export { groupCommit, type GroupCommit } from "./group-commit.ts";
export { appliedMigrations, migrate, pendingMigrations, type ConcurrentIndex, type Migration } from "./migrate.ts";
export type { Pool } from "./pool.ts";
export { createSemaphore, UNBOUNDED_WAIT } from "./semaphore.ts";
export { arrayLiteral, joinLines, statement, type Db, type Statement, type Transaction } from "./statement.ts";
export { makePrivate } from "./environment/private-folder.ts";
export {
  countSecretsKeys,
  openSecretsKeyFile,
  openVault,
  SECRETS_KEY,
  SECRETS_KEY_FILE,
  SecretsKeyUnusable,
  type SecretsKeyFile,
} from "./secrets/keyring.ts";
export { countSealed, sealAnew, type SealedCounts, type SealedRow, type SealedRows } from "./secrets/sealed-rows.ts";
export { vault, type Vault } from "./secrets/vault.ts";
export { inTransaction } from "./transaction.ts";
