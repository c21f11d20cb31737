import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../environment/failure.ts";
import type { Applied } from "./db/rows.ts";

/** What a backup says of itself. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  /** Of the release that wrote it. */
  readonly version: string;
  /** @units UTC, ISO 8601 with milliseconds and Z */
  readonly created_time: string;
  /** By schema: the migrations that the data has been through. */
  readonly migrations: Readonly<Record<string, readonly Applied[]>>;
  readonly tables: readonly KeptTable[];
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly next: number }[];
  /** How many files of uploads and reports. */
  readonly objects: number;
  /** Names of the files of keys. */
  readonly keys: readonly string[];
}

/** The rows of one table, in a file of packed lines. */
export interface KeptTable {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  /** Of the file, hex. */
  readonly sha256: string;
}

export const BACKUP_FORMAT = "parley-backup-1";
export const BACKUP_MANIFEST_FILE = "backup.json";
export const BACKUP_OBJECTS_FOLDER = "objects";
export const BACKUP_KEYS_FOLDER = "keys";
export const BACKUP_TABLES_FOLDER = "tables";

/** Where the rows of a table lie in a backup. */
export const tableFileOf = ({ schema, name }: Pick<KeptTable, "schema" | "name">): string =>
  join(BACKUP_TABLES_FOLDER, `${schema}.${name}.ndjson.gz`);

/** Reads what a backup says of itself. @errors UsageFailure */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  const refuse = (reason: string): never => {
    throw new CommandFailure(`${folder} is no whole backup (${reason}). Name a folder that 'parley backup' wrote.`);
  };
  const text = await readFile(join(folder, BACKUP_MANIFEST_FILE), "utf8").catch((error: unknown) =>
    refuse(`${BACKUP_MANIFEST_FILE}: ${(error as NodeJS.ErrnoException).code ?? "error"}`),
  );
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(text) as Partial<BackupManifest>;
  } catch {
    return refuse(`${BACKUP_MANIFEST_FILE} is no JSON`);
  }
  if (manifest.format !== BACKUP_FORMAT)
    refuse(`its format is ${String(manifest.format).slice(0, 50)}, not ${BACKUP_FORMAT}`);
  return manifest as BackupManifest;
}
