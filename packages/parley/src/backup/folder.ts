import { readFile, chmod, copyFile, mkdir } from "node:fs/promises";
import { join, dirname } from "node:path";
import { constants } from "node:fs";
import { CommandFailure } from "../environment/failure.ts";

/** A migration that was applied to the data. */
export interface AppliedMigration {
  readonly id: number;
  readonly name: string;
}

/** Contents of a backup's manifest file. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  /** Release of Parley that wrote the backup. */
  readonly version: string;
  /** @units UTC, ISO 8601 with milliseconds and Z */
  readonly created_time: string;
  /** Migrations that were applied to the data, by schema. */
  readonly migrations: Readonly<Record<string, readonly AppliedMigration[]>>;
  readonly tables: readonly BackupTable[];
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly next: number }[];
  /** Number of files of uploads and reports. */
  readonly objects: number;
  /** true: they were left out of the backup. */
  readonly is_without_objects?: boolean;
  /** Names of the key files. */
  readonly keys: readonly string[];
}

/** A table of the backup. Its rows are in a gzip file of JSON lines. */
export interface BackupTable {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  /** Checksum of the compressed file, in hex. */
  readonly sha256: string;
}

export const BACKUP_FORMAT = "parley-backup-1";
export const BACKUP_MANIFEST_FILE = "backup.json";
export const BACKUP_OBJECTS_FOLDER = "objects";
export const BACKUP_KEYS_FOLDER = "keys";
export const BACKUP_TABLES_FOLDER = "tables";

/** Path of a table's file within a backup. */
export const tableFileOf = ({ schema, name }: Pick<BackupTable, "schema" | "name">): string =>
  join(BACKUP_TABLES_FOLDER, `${schema}.${name}.ndjson.gz`);

/** Reads and checks the manifest of a backup. @errors CommandFailure */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  const failIncomplete = (reason: string): never => {
    throw new CommandFailure(
      `${folder} is not a complete backup (${reason}). Name a folder that 'npx parley backup' wrote.`,
    );
  };
  const text = await readFile(join(folder, BACKUP_MANIFEST_FILE), "utf8").catch((error: unknown) =>
    failIncomplete(`${BACKUP_MANIFEST_FILE}: ${(error as NodeJS.ErrnoException).code ?? "error"}`),
  );
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(text) as Partial<BackupManifest>;
  } catch {
    return failIncomplete(`${BACKUP_MANIFEST_FILE} is not valid JSON`);
  }
  if (manifest.format !== BACKUP_FORMAT)
    failIncomplete(`its format is ${String(manifest.format).slice(0, 50)}, not ${BACKUP_FORMAT}`);
  return manifest as BackupManifest;
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/**
 * Copies one file. The copy shares the blocks of the original if the file system supports sharing. -> false when the file was deleted in the
 * meantime: erased uploads stay erased
 */
export const copyIfPresent = async (from: string, to: string): Promise<boolean> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Copies the named files that exist, readable by their owner only. -> their names */
export async function copySecrets(from: string, to: string, names: readonly string[]): Promise<string[]> {
  const copied: string[] = [];
  for (const name of names) {
    if (!(await copyIfPresent(join(from, name), join(to, name)))) continue;
    await chmod(join(to, name), 0o600);
    copied.push(name);
  }
  return copied;
}
