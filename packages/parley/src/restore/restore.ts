import { join } from "node:path";
import { migrate, SchemaMismatch, type Database, type Migration } from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service";
import { copyObjects, copySecrets } from "../backup/files.ts";
import {
  tableFileOf,
  BACKUP_KEYS_FOLDER,
  BACKUP_OBJECTS_FOLDER,
  readBackupManifest,
  type BackupManifest,
} from "../backup/manifest.ts";
import { CommandFailure } from "../environment/failure.ts";
import { gzipLines } from "./lines.ts";
import { restoreStore } from "./db/load.ts";

interface RestoreOptions {
  readonly database: Database;
  readonly dataFolder: string;
  /** Target folder of uploads and reports. */
  readonly objectsFolder: string;
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
      `The backup was written by release ${version}: its migration ${id} (${name}) of "${schema}" is unknown to this release. Restore it with that release or a newer one.`,
    );
  });

/**
 * Restores a backup into an empty database and migrates it to this release.
 * @errors CommandFailure when the database has data or the backup is incomplete, SchemaMismatch when a newer release wrote the backup; in
 * each case nothing is restored
 */
export async function restore(options: RestoreOptions): Promise<BackupManifest> {
  const { database, dataFolder, objectsFolder, folder, progress } = options;
  const manifest = await readBackupManifest(folder);
  const schemas = Object.keys(manifest.migrations);
  const kept = schemas.map((schema) => [schema, backupMigrations(schema, manifest)] as const);
  const connection = await database.connect(SERVICE_SCHEMA);
  try {
    const store = restoreStore(connection);
    if (!(await store.isEmpty()))
      throw new CommandFailure(
        "The data folder or the database is not empty. Set PARLEY_DATA to a new folder, or DATABASE_URL to another database.",
      );
    for (const [schema, list] of kept) await migrate(database, schema, list);
    const tables = await store.tables();
    let rows = 0;
    await store.transaction(tables, manifest.sequences, async () => {
      for (const table of tables) {
        const of = manifest.tables.find((each) => each.schema === table.schema && each.name === table.name);
        if (!of) throw new CommandFailure(`${folder} is not a complete backup: the table ${table.name} is missing.`);
        let count = 0;
        for await (const lines of gzipLines(join(folder, tableFileOf(of)), of.sha256)) {
          await store.add(table, lines);
          count += lines.length;
          progress?.((rows += lines.length));
        }
        if (count !== of.rows)
          throw new CommandFailure(
            `${folder} is not a complete backup: ${table.name} has ${count} rows, not ${of.rows}.`,
          );
      }
      // Files are copied before the commit, so that no committed row names a missing file.
      const objects = await copyObjects(join(folder, BACKUP_OBJECTS_FOLDER), objectsFolder);
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
