import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseUnavailable, openDatabase, type Connection, type Database } from "@parley/database";
import { readBackupManifest, type BackupManifest } from "../backup/folder.ts";
import { fail, ok, warn, type CheckFinding, type NamedFinding } from "../output/finding.ts";
import { upgradeStore, type DatabaseSessionRow, type TableSize } from "./check.sql.ts";
import { estimateMigration, extraBytesOf, type MigrationEstimate } from "./estimate.ts";
import { migrationEffects, type MigrationEffect } from "./migration-effects.ts";
import { processesFinding, runningProcesses, type RunningProcess } from "./running.ts";
import { schemaStates, type SchemaState } from "./schemas.ts";

export interface UpgradeReport {
  readonly schemas: readonly { readonly name: string; readonly applied: number; readonly release: number }[];
  readonly migrations: readonly MigrationEstimate[];
  readonly processes: readonly RunningProcess[];
  readonly findings: readonly NamedFinding[];
}

interface UpgradeCheckOptions {
  readonly database: Database;
  readonly dataFolder: string;
  /** Folder of a backup; undefined if no folder was named. */
  readonly backupFolder: string | undefined;
  readonly now: Date;
}

/**
 * Applies the pending migrations to empty tables of a server of its own, to see what they lock. The database itself is not touched.
 * @errors DatabaseUnavailable if no server can run here
 */
async function effectsOf(states: readonly SchemaState[]): Promise<readonly MigrationEffect[]> {
  if (states.every(({ pending }) => pending.length === 0)) return [];
  const folder = await mkdtemp(join(tmpdir(), "parley-upgrade-"));
  try {
    const scratch = await openDatabase({ dataFolder: folder, settings: { fsync: "off" } });
    try {
      const effects = [];
      for (const { name, migrations, pending } of states)
        effects.push(...(await migrationEffects(scratch, name, migrations, migrations.length - pending.length)));
      return effects;
    } finally {
      await scratch.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Locks of the pending migrations; undefined with the finding that says why they are not known. */
const tryEffects = async (
  states: readonly SchemaState[],
): Promise<{ readonly effects: readonly MigrationEffect[]; readonly untried?: CheckFinding }> => {
  try {
    return { effects: await effectsOf(states) };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const count = states.reduce((sum, { pending }) => sum + pending.length, 0);
    return {
      effects: [],
      untried: warn(
        `${count} pending. Their locks were not measured, because no separate PostgreSQL starts here: ${error.message}`,
        "Run the check as a user with a name in /etc/passwd, or stop all processes for the upgrade: docs/operators/upgrades.md#with-an-interruption.",
      ),
    };
  }
};

/** Requests on a table wait for longer than their statement may take. @units seconds */
const BLOCKED_MAX = 3;
const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;

const migrationsFinding = (migrations: readonly MigrationEstimate[]): CheckFinding => {
  if (migrations.length === 0) return ok("No migration is pending: the upgrade changes no table.");
  const slow = migrations.flatMap(({ id, name, schema, tables }) =>
    tables
      .filter(({ blockedSeconds }) => blockedSeconds > BLOCKED_MAX)
      .map(({ table, blockedSeconds }) => `${id} (${name}) blocks ${schema}.${table} for about ${blockedSeconds} s`),
  );
  return slow.length === 0
    ? ok(`${migrations.length} pending. No migration blocks requests for longer than ${BLOCKED_MAX} s.`)
    : fail(
        `${migrations.length} pending: ${slow.join("; ")}.`,
        "Stop all processes, run 'npx parley upgrade', then start them in the new release: docs/operators/upgrades.md#with-an-interruption.",
      );
};

/** Space that stays free after the migrations. @units bytes */
const SPARE_BYTES = 256 * 1_048_576;

const diskFinding = async (needed: number, { database, dataFolder }: UpgradeCheckOptions): Promise<CheckFinding> => {
  if (!database.embedded)
    return needed === 0
      ? ok("The migrations need no further space on the database's server.")
      : warn(
          `The migrations need about ${megabytes(needed)} on the database's server, whose disk can't be seen from here.`,
          "Check that this much is free there.",
        );
  const { bavail, bsize } = await statfs(dataFolder);
  const [free, wanted] = [bavail * bsize, needed + SPARE_BYTES];
  return free >= wanted
    ? ok(`The migrations need about ${megabytes(needed)}, and ${megabytes(free)} are free.`)
    : fail(
        `The migrations need about ${megabytes(wanted)}, and ${megabytes(free)} are free.`,
        `Free disk space for ${dataFolder}.`,
      );
};

const NEXT_BACKUP = "Run 'npx parley backup <folder>', then pass --backup <folder>.";
/** @units hours */
const BACKUP_AGE_MAX = 24;

const backupFinding = async (
  states: readonly SchemaState[],
  { backupFolder, now }: UpgradeCheckOptions,
): Promise<CheckFinding> => {
  if (backupFolder === undefined)
    return warn("No backup was named. Without one there is no way back from a damaged database.", NEXT_BACKUP);
  let manifest: BackupManifest;
  try {
    manifest = await readBackupManifest(backupFolder);
  } catch (error) {
    return fail((error as Error).message, NEXT_BACKUP);
  }
  const hours = (now.getTime() - Date.parse(manifest.created_time)) / 3_600_000;
  const isOther = states.some(({ name, applied }) => (manifest.migrations[name]?.at(-1)?.id ?? 0) !== applied);
  if (isOther) return fail(`The backup ${backupFolder} has another schema than this database.`, NEXT_BACKUP);
  const text = `The backup ${backupFolder} is ${hours.toFixed(1)} hours old.`;
  return hours > BACKUP_AGE_MAX ? warn(text, NEXT_BACKUP) : ok(text);
};

/** A migration waits for transactions that read its tables. @units seconds */
const LONG_TRANSACTION = 60;

const transactionsFinding = (sessions: readonly DatabaseSessionRow[]): CheckFinding => {
  const long = sessions.filter(({ transaction_seconds: seconds }) => (seconds ?? 0) > LONG_TRANSACTION);
  if (long.length === 0) return ok("No transaction has been open for long.");
  const names = long.map(
    ({ application, user, transaction_seconds: seconds }) => `${application || user} for ${Math.round(seconds ?? 0)} s`,
  );
  return warn(
    `Transactions are open: ${names.join(", ")}. A migration waits for those that read its tables.`,
    "Wait until backups and reports have ended.",
  );
};

/** Finds out what an upgrade of the database to this release would do. Changes nothing. @errors SchemaMismatch */
export async function checkUpgrade(connection: Connection, options: UpgradeCheckOptions): Promise<UpgradeReport> {
  const store = upgradeStore(connection);
  const states = await schemaStates(connection);
  const sessions = await store.sessions();
  const sizes = new Map<string, readonly TableSize[]>();
  for (const { name } of states) sizes.set(name, await store.sizes(name));
  const sizesOf = (schema: string) => sizes.get(schema) ?? [];
  const { effects, untried } = await tryEffects(states);
  const migrations = effects.map((effect) => estimateMigration(effect, sizesOf(effect.schema)));
  const needed = migrations.reduce((sum, each) => sum + extraBytesOf(each, sizesOf(each.schema)), 0);
  const processes = runningProcesses(sessions);
  return {
    schemas: states.map(({ name, applied, migrations: list }) => ({ name, applied, release: list.at(-1)?.id ?? 0 })),
    migrations,
    processes,
    findings: [
      { name: "Migrations", ...(untried ?? migrationsFinding(migrations)) },
      { name: "Processes", ...processesFinding(processes, sessions, states) },
      { name: "Transactions", ...transactionsFinding(sessions) },
      ...(untried ? [] : [{ name: "Disk", ...(await diskFinding(needed, options)) }]),
      { name: "Backup", ...(await backupFinding(states, options)) },
    ],
  };
}
