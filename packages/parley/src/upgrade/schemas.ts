import {
  appliedMigrations,
  migrate,
  pendingMigrations,
  type Connection,
  type Database,
  type Migration,
} from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework/operation";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service/operation";
import type { LabelledProcess } from "./process-label.ts";

/** A schema of this release. */
interface ReleaseSchema {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** Its member of a process's label. */
  readonly part: "service" | "platform";
}

/** The schemas of this release, in the order in which they are migrated. */
const RELEASE_SCHEMAS: readonly ReleaseSchema[] = [
  { name: SERVICE_SCHEMA, migrations: SERVICE_MIGRATIONS, part: "service" },
  { name: APP_SCHEMA, migrations: APP_MIGRATIONS, part: "platform" },
];

export interface SchemaState extends ReleaseSchema {
  /** Newest migration of the database; 0: the schema is absent. */
  readonly applied: number;
  readonly pending: readonly Migration[];
}

/** Compares the schemas of a database with this release. @errors SchemaMismatch if this release can't run on a schema */
export const schemaStates = (connection: Connection): Promise<SchemaState[]> =>
  Promise.all(
    RELEASE_SCHEMAS.map(async (schema) => {
      const applied = (await appliedMigrations(connection, schema.name)) ?? [];
      const pending = pendingMigrations(schema.name, schema.migrations, applied);
      return { ...schema, applied: applied.at(-1)?.id ?? 0, pending };
    }),
  );

/** The pending migrations on whose schema a process can't run. */
export const harmfulTo = (process: LabelledProcess, states: readonly SchemaState[]) =>
  states.flatMap(({ name, part, pending }) =>
    pending.filter(({ needs = 0 }) => needs > process[part]).map((migration) => ({ schema: name, ...migration })),
  );

/** Applies the pending migrations of all schemas. */
export async function migrateSchemas(database: Database): Promise<void> {
  for (const { name, migrations } of RELEASE_SCHEMAS) await migrate(database, name, migrations);
}
