import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { PassThrough } from "node:stream";
import { createGunzip } from "node:zlib";
import { join } from "node:path";
import { migrate, SchemaMismatch, type Database, type Migration } from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework/operation";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service/operation";
import { CommandFailure } from "../environment/failure.ts";
import {
  copySecrets,
  tableFileOf,
  BACKUP_KEYS_FOLDER,
  BACKUP_OBJECTS_FOLDER,
  readBackupManifest,
  type BackupManifest,
} from "../backup/folder.ts";
import { restoreObjects, type InstanceObjects } from "../backup/objects.ts";
import { restoreStore } from "../backup/store.ts";

/** Uncompressed size after which the lines read so far are returned. @units bytes */
const BATCH_BYTES = 2 * 1_048_576;
const LINE_FEED = 10;

/**
 * Reads the lines of a gzip file in batches. The last batch is returned only if the checksum matches.
 * @errors CommandFailure
 */
async function* gzipLines(file: string, sha256: string): AsyncGenerator<readonly string[]> {
  const failDamaged = (reason: string): never => {
    throw new CommandFailure(`${file} is damaged (${reason}). Use another backup. Nothing was restored.`);
  };
  const hash = createHash("sha256");
  const unpacked = createGunzip();
  const hashed = new PassThrough().on("data", (chunk: Buffer) => void hash.update(chunk));
  const stream = createReadStream(file);
  stream.once("error", (error) => unpacked.destroy(error));
  stream.pipe(hashed).pipe(unpacked);
  let partial: Buffer[] = [];
  let lines: string[] = [];
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      let begin = 0;
      // Splits at line feed bytes: `readline` also splits at other line separators, which JSON texts can contain.
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, begin)) {
        lines.push(Buffer.concat([...partial, chunk.subarray(begin, end)]).toString("utf8"));
        partial = [];
        begin = end + 1;
      }
      partial.push(chunk.subarray(begin));
      bytes += chunk.length;
      if (bytes < BATCH_BYTES || lines.length === 0) continue;
      yield lines;
      [lines, bytes] = [[], 0];
    }
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    // Errors of the consumer of this generator are passed on unchanged.
    if (/^Z_|^ENOENT$|^EACCES$|^EIO$|^EISDIR$/.test(code)) failDamaged(code);
    throw error;
  }
  if (hash.digest("hex") !== sha256) failDamaged("its checksum does not match");
  if (lines.length > 0) yield lines;
}

interface RestoreOptions {
  readonly database: Database;
  readonly dataFolder: string;
  /** Where uploads and reports are restored. */
  readonly objects: InstanceObjects;
  /** Folder of the backup. */
  readonly folder: string;
  readonly progress?: ((rows: number) => void) | undefined;
}

/** Migrations of this release, by schema. */
const RELEASE_MIGRATIONS: Readonly<Record<string, readonly Migration[]>> = {
  [SERVICE_SCHEMA]: SERVICE_MIGRATIONS,
  [APP_SCHEMA]: APP_MIGRATIONS,
};

/** Migrations that were applied to the backup's data. @errors SchemaMismatch when a newer release wrote the backup */
const backupMigrations = (schema: string, { migrations, version }: BackupManifest): Migration[] =>
  (migrations[schema] ?? []).map(({ id, name }) => {
    const found = RELEASE_MIGRATIONS[schema]?.find((each) => each.id === id && each.name === name);
    if (found) return found;
    throw new SchemaMismatch(
      `The backup was written by release ${version}: its migration ${id} (${name}) of "${schema}" is unknown to this release. Restore it with that release or a newer release.`,
    );
  });

/**
 * Restores a backup into an empty database and migrates it to this release.
 * @errors CommandFailure when the database has data or the backup is incomplete, SchemaMismatch when a newer release wrote the backup; in
 * each case nothing is restored
 */
export async function restore(options: RestoreOptions): Promise<BackupManifest> {
  const { database, dataFolder, folder, progress } = options;
  const manifest = await readBackupManifest(folder);
  const schemas = Object.keys(manifest.migrations);
  const applied = schemas.map((schema) => [schema, backupMigrations(schema, manifest)] as const);
  const connection = await database.connect(SERVICE_SCHEMA);
  try {
    const store = restoreStore(connection);
    if (!(await store.isEmpty()))
      throw new CommandFailure(
        "The data folder or the database is not empty. Set PARLEY_DATA to a new folder, or DATABASE_URL to another database.",
      );
    for (const [schema, list] of applied) await migrate(database, schema, list);
    const tables = await store.tables();
    let rows = 0;
    await store.transaction(tables, manifest.sequences, async () => {
      for (const table of tables) {
        const backupTable = manifest.tables.find((each) => each.schema === table.schema && each.name === table.name);
        if (!backupTable)
          throw new CommandFailure(`${folder} is not a complete backup: the table ${table.name} is missing.`);
        let count = 0;
        for await (const lines of gzipLines(join(folder, tableFileOf(backupTable)), backupTable.sha256)) {
          await store.add(table, lines);
          count += lines.length;
          progress?.((rows += lines.length));
        }
        if (count !== backupTable.rows)
          throw new CommandFailure(
            `${folder} is not a complete backup: ${table.name} has ${count} rows, not ${backupTable.rows}.`,
          );
      }
      // Files are copied before the commit, so that no committed row names a missing file.
      const objects = await restoreObjects(join(folder, BACKUP_OBJECTS_FOLDER), options.objects);
      if (objects < manifest.objects)
        throw new CommandFailure(
          `${folder} is not a complete backup: ${manifest.objects - objects} files are missing.`,
        );
      await copySecrets(join(folder, BACKUP_KEYS_FOLDER), dataFolder, manifest.keys);
    });
    for (const schema of schemas) await migrate(database, schema, RELEASE_MIGRATIONS[schema] ?? []);
    return manifest;
  } finally {
    await connection.close();
  }
}
