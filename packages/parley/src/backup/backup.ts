import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { SECRETS_KEY_FILE, type Database } from "@parley/database";
import { VERSION } from "@parley/service/operation";
import { CommandFailure } from "../environment/failure.ts";
import { readSecret } from "../instance/data-folder.ts";
import { ADMIN_KEY, API_KEY, APP_KEY } from "../instance/keys.ts";
import type { CatalogTable } from "../test-environment/snapshot/db/catalog.ts";
import { arrivingName, markWriter, removeAbandoned, unmarkWriter } from "./abandoned.ts";
import { noteBackup } from "./last-backup.ts";
import { backupStore } from "./store.ts";
import {
  copySecrets,
  tableFileOf,
  BACKUP_FORMAT,
  BACKUP_KEYS_FOLDER,
  BACKUP_MANIFEST_FILE,
  BACKUP_OBJECTS_FOLDER,
  BACKUP_TABLES_FOLDER,
  type BackupTable,
  type BackupManifest,
} from "./folder.ts";
import { saveObjects, type InstanceObjects } from "./objects.ts";

interface BackupOptions {
  readonly database: Database;
  readonly dataFolder: string;
  /** Uploads and reports; undefined: they are left out. */
  readonly objects: InstanceObjects | undefined;
  /** Folder of the backup; it must not exist yet. */
  readonly folder: string;
  readonly now: Date;
  readonly progress?: ((rows: number) => void) | undefined;
}

/** Key files of the data folder: the encryption key of stored secrets, and the keys of the instance. Without them the data can't be used. */
const KEY_FILES = [SECRETS_KEY_FILE, ADMIN_KEY, API_KEY, APP_KEY];

/** Key files that a data folder can contain, including one for each app after the first. */
const keyFilesOf = async (dataFolder: string): Promise<readonly string[]> => {
  const others = (await readdir(dataFolder)).filter((name) => name.startsWith(`${APP_KEY}-`) && !name.endsWith(".new"));
  return [...KEY_FILES, ...others];
};

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Writes the rows of a table to a gzip file, one JSON text a line. */
async function writeTable(
  table: CatalogTable,
  folder: string,
  rows: AsyncIterable<readonly string[]>,
  onRows: (rows: number) => void,
): Promise<BackupTable> {
  const { schema, name } = table;
  const hash = createHash("sha256");
  let count = 0;
  const lines = async function* () {
    for await (const page of rows) {
      count += page.length;
      onRows(page.length);
      yield `${page.join("\n")}\n`;
    }
  };
  const hashed = new PassThrough().on("data", (chunk: Buffer) => void hash.update(chunk));
  const file = createWriteStream(join(folder, tableFileOf(table)), { mode: 0o600 });
  await pipeline(Readable.from(lines()), createGzip({ level: 3 }), hashed, file);
  return { schema, name, rows: count, sha256: hash.digest("hex") };
}

/**
 * Adds keys of stored secrets to the file of the backup: a rotation may replace the key at any moment, and the snapshot can contain secrets of the
 * key before and of the key after.
 */
const addSecretsKeys = async (file: string, texts: readonly (string | undefined)[]): Promise<void> => {
  const keysOf = (text: string) => text.split(/[\s,]+/).filter((key) => key !== "");
  const present = keysOf(await readFile(file, "utf8"));
  const all = new Set([...present, ...texts.flatMap((text) => keysOf(text ?? ""))]);
  if (all.size > present.length) await writeFile(file, `${[...all].join("\n")}\n`, { mode: 0o600 });
};

const writeContents = async (options: BackupOptions, folder: string): Promise<BackupManifest> => {
  const { database, dataFolder, now, progress } = options;
  const connection = await database.connect("parley_service");
  try {
    const store = backupStore(connection);
    const earlierKeys = await readSecret(dataFolder, SECRETS_KEY_FILE);
    await store.begin();
    // The first statement takes the snapshot.
    const tables = await store.tables();
    const presentKeys = await readSecret(dataFolder, SECRETS_KEY_FILE);
    if (tables.length === 0)
      throw new CommandFailure(`${dataFolder} contains no data yet. Start an instance first, or set PARLEY_DATA.`);
    const backupTables: BackupTable[] = [];
    let rows = 0;
    const countRows = (more: number) => progress?.((rows += more));
    for (const table of tables) backupTables.push(await writeTable(table, folder, store.rows(table), countRows));
    const migrations: Record<string, BackupManifest["migrations"][string]> = {};
    for (const schema of new Set(tables.map((table) => table.schema))) migrations[schema] = await store.applied(schema);
    const sequences = await store.sequences();
    await store.end();
    // Objects are never modified in place, so every one that the snapshot's rows name is still unchanged, unless it was erased since.
    await mkdir(join(folder, BACKUP_OBJECTS_FOLDER), { mode: 0o700 });
    const objects = options.objects ? await saveObjects(options.objects, join(folder, BACKUP_OBJECTS_FOLDER)) : 0;
    const keys = await copySecrets(dataFolder, join(folder, BACKUP_KEYS_FOLDER), await keyFilesOf(dataFolder));
    if (keys.includes(SECRETS_KEY_FILE))
      await addSecretsKeys(join(folder, BACKUP_KEYS_FOLDER, SECRETS_KEY_FILE), [earlierKeys, presentKeys]);
    const created_time = now.toISOString();
    return {
      format: BACKUP_FORMAT,
      version: VERSION,
      created_time,
      migrations,
      tables: backupTables,
      sequences,
      objects,
      ...(!options.objects && { is_without_objects: true }),
      keys,
    };
  } finally {
    await connection.close();
  }
};

/**
 * Writes a consistent backup of all data to a folder, while the instance keeps running. The folder appears complete or not at all.
 * @errors CommandFailure when the folder exists or can't be written, or when there is no data
 * @assumed A backup consists of the rows of each table as JSON lines, the files of uploads and reports, and the keys. The contents of the
 * background job queue are not included: they are derived from the rows again.
 */
export async function backup(options: BackupOptions): Promise<BackupManifest> {
  const folder = resolve(options.folder);
  if (await exists(folder)) throw new CommandFailure(`${folder} already exists. Name a folder that does not exist.`);
  const temporary = join(dirname(folder), arrivingName(basename(folder)));
  try {
    await removeAbandoned(dirname(folder), options.now.getTime());
    await rm(temporary, { recursive: true, force: true });
    await mkdir(join(temporary, BACKUP_TABLES_FOLDER), { recursive: true, mode: 0o700 });
    await markWriter(temporary);
    const manifest = await writeContents(options, temporary);
    await writeFile(join(temporary, BACKUP_MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await unmarkWriter(temporary);
    await rename(temporary, folder);
    await noteBackup(options.dataFolder, { folder, created_time: manifest.created_time });
    return manifest;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined || path === undefined) throw error;
    throw new CommandFailure(`${path} can't be written (${code}). Name a folder that you may write.`);
  }
}
