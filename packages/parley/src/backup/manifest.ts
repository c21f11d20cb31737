import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageFailure } from "../failure.ts";
import type { Applied } from "./db/rows.ts";

/** What a backup says of itself. */
export interface Manifest {
  readonly format: typeof FORMAT;
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

export const FORMAT = "parley-backup-1";
export const MANIFEST = "backup.json";
export const OBJECTS = "objects";
export const KEYS = "keys";
export const TABLES = "tables";

/** Where the rows of a table lie in a backup. */
export const fileOf = ({ schema, name }: Pick<KeptTable, "schema" | "name">): string =>
  join(TABLES, `${schema}.${name}.ndjson.gz`);

/** Reads what a backup says of itself. @errors UsageFailure */
export async function readManifest(folder: string): Promise<Manifest> {
  const refuse = (reason: string): never => {
    throw new UsageFailure(`${folder} is no whole backup (${reason}). Name a folder that 'parley backup' wrote.`);
  };
  const text = await readFile(join(folder, MANIFEST), "utf8").catch((error: unknown) =>
    refuse(`${MANIFEST}: ${(error as NodeJS.ErrnoException).code ?? "error"}`),
  );
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch {
    return refuse(`${MANIFEST} is no JSON`);
  }
  if (manifest.format !== FORMAT) refuse(`its format is ${String(manifest.format).slice(0, 50)}, not ${FORMAT}`);
  return manifest as Manifest;
}
