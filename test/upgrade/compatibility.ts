import { migrate, type Database, type Migration } from "@parley/database";
import { migrationEffects, type MigrationEffect } from "../../packages/parley/src/upgrade/migration-effects.ts";
import { planOf, schemaFacts, type SchemaFact } from "./schema-facts.ts";

/** Whether processes of the previous release can run on the schema of this release: docs/contributors/migrations.md states the rules. */

/** A schema that is absent yet. */
export interface Place {
  readonly database: Database;
  readonly schema: string;
}

interface Comparison {
  readonly before: Place;
  readonly after: Place;
  readonly scratch: Place;
  readonly migrations: readonly Migration[];
  /** The newest migration that the previous release contains. */
  readonly previous: number;
  /** Statements of the previous release. */
  readonly statements: readonly string[];
}

/** Tables that grow with the traffic: changing all rows of one in a transaction takes too long. */
const GROWING_TABLES = new Set([
  ...["messages", "conversations", "conversation_revisions", "users", "user_revisions", "user_ranks", "outbox"],
  ...["interactions", "assignments", "responses", "inbox_entries", "inbox_properties", "read_marks", "csat"],
  ...["outbound_messages", "outbound_requests", "agent_activity", "deliveries", "idempotency_keys", "audit_log"],
  ...["search_recent", "search_chunks", "search_blocks", "uploads", "metric_hours", "directory_revisions"],
  ...["records", "entity_records", "invocations", "handled_events", "schedules"],
]);

const keyOf = ({ kind, of, name }: SchemaFact) => `${kind} ${of} ${name}`;
const mapOf = (facts: readonly SchemaFact[]) => new Map(facts.map((fact) => [keyOf(fact), fact]));

const REMOVALS: Partial<Record<SchemaFact["kind"], (fact: SchemaFact) => string>> = {
  table: ({ name }) => `drops or renames the table ${name}`,
  column: ({ of, name }) => `drops or renames the column ${of}.${name}`,
  unique: ({ of, name }) => `drops the uniqueness of ${of} by ${name}`,
  function: ({ name }) => `drops or renames the function ${name}`,
  sequence: ({ name }) => `drops or renames the sequence ${name}`,
};

/** What a migration removes from, and demands of, what was there before it. */
function breaks(before: readonly SchemaFact[], after: readonly SchemaFact[]): string[] {
  const [old, present] = [mapOf(before), mapOf(after)];
  const isOldTable = (table: string) => old.has(`table ${table} ${table}`);
  const isOldColumn = ({ of, name }: SchemaFact) => old.has(`column ${of} ${name}`);
  const removed = before.flatMap((fact) => (present.has(keyOf(fact)) ? [] : (REMOVALS[fact.kind]?.(fact) ?? [])));
  const changed = before.flatMap((fact) => {
    const now = present.get(keyOf(fact));
    if (!now || now.value === fact.value) return [];
    if (fact.kind === "column") return `changes the type of ${fact.of}.${fact.name}`;
    return fact.kind === "filled" && now.value === "by statements"
      ? `drops the default of ${fact.of}.${fact.name}`
      : [];
  });
  const added = after.flatMap((fact) => {
    if (old.has(keyOf(fact)) || !isOldTable(fact.of)) return [];
    if (fact.kind === "unique") return `requires ${fact.of} to be unique by ${fact.name}`;
    if (fact.kind === "constraint") return `adds a constraint to ${fact.of}: ${fact.name}`;
    if (fact.kind !== "filled" || fact.value === "by default") return [];
    return isOldColumn(fact)
      ? `requires ${fact.of}.${fact.name} to be filled`
      : `adds the column ${fact.of}.${fact.name} that must be filled, without a default`;
  });
  return [...removed, ...changed, ...added];
}

/** What makes requests wait for longer than they may. */
const delays = ({ tables }: MigrationEffect): string[] =>
  tables.flatMap(({ table, change, blockingIndexes, writesRows }) => [
    ...(change === "rewritten" ? [`writes all rows of ${table} anew while every statement on it waits`] : []),
    ...(change === "kept" && blockingIndexes > 0
      ? [`builds an index on ${table} while writes wait: name it in the migration's "indexes"`]
      : []),
    ...(writesRows && GROWING_TABLES.has(table)
      ? [`changes rows of ${table} in one transaction: change them in the background`]
      : []),
  ]);

/** A statement that the previous schema plans and the present one doesn't. */
async function brokenStatements({ statements, before, after }: Comparison) {
  const [old, present] = await Promise.all([before, after].map(({ database, schema }) => database.connect(schema)));
  if (!old || !present) throw new Error("both schemas are connected");
  const failure = async (connection: typeof old, text: string) =>
    connection.rows(planOf(text), []).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
  let planned = 0;
  const broken: string[] = [];
  for (const text of statements) {
    if ((await failure(old, text)) !== undefined) continue;
    planned += 1;
    const reason = await failure(present, text);
    if (reason !== undefined) broken.push(`A statement of the previous release fails (${reason}): ${text.trim()}`);
  }
  await Promise.all([old.close(), present.close()]);
  return { planned, broken };
}

/**
 * Compares the schema of the previous release with that of this release.
 * -> why processes of the previous release can't run on it; empty if they can. `planned`: number of their statements that were compared
 */
export async function compareReleases(comparison: Comparison) {
  const { before, after, scratch, migrations, previous } = comparison;
  const released = migrations.filter(({ id }) => id <= previous);
  await migrate(before.database, before.schema, released);
  await migrate(after.database, after.schema, released);
  const problems: string[] = [];
  const connection = await after.database.connect(after.schema);
  for (const [index, migration] of migrations.entries()) {
    const { id, name, needs } = migration;
    if (id <= previous) continue;
    const facts = await schemaFacts(connection);
    await migrate(after.database, after.schema, migrations.slice(0, index + 1));
    const say = (reason: string) => void problems.push(`Migration ${id} (${name}) ${reason}.`);
    if (needs !== undefined && needs > previous)
      say(
        `needs migration ${needs}, and the previous release has no migration after ${previous}: contract one release later`,
      );
    // A contract removes; whether the previous release still uses it is decided by its statements.
    if (needs === undefined) for (const reason of breaks(facts, await schemaFacts(connection))) say(reason);
  }
  await connection.close();
  for (const effect of await migrationEffects(scratch.database, scratch.schema, migrations, released.length))
    for (const reason of delays(effect)) problems.push(`Migration ${effect.id} (${effect.name}) ${reason}.`);
  const { planned, broken } = await brokenStatements(comparison);
  return { planned, problems: [...problems, ...broken] };
}
