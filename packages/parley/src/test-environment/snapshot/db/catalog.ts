import { statement, type Db } from "@parley/database";

/** Schemas that a snapshot contains. The background job queue is not included: it is derived from `due_work`. */
const SCHEMAS = "'parley_service', 'parley_apps'";

/** The migrations, and the rows of running processes: another instance has processes of its own. */
const OTHER_TABLES = "'migrations', 'platform_processes', 'installation_leases'";

/** A table that snapshots contain. */
export interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  /** Columns of the primary key; empty without a primary key. */
  readonly key: readonly string[];
  /** Tables that its foreign keys reference, as `schema.name`. */
  readonly needs: readonly string[];
  /** Whether other tables have foreign keys to this table. */
  readonly isNeeded: boolean;
  readonly hasTriggers: boolean;
}

const TABLES = statement(
  "",
  `select n.nspname as schema, c.relname as name,
          (select array_agg(a.attname::text order by a.attnum)
             from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
          coalesce((
            select array_agg(a.attname::text order by a.attnum)
              from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
             where i.indrelid = c.oid and i.indisprimary), '{}') as key,
          coalesce((
            select array_agg(distinct fn.nspname || '.' || f.relname)
              from pg_constraint k join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
             where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '{}') as needs,
          exists (
            select from pg_constraint k where k.confrelid = c.oid and k.contype = 'f' and k.conrelid <> c.oid) as "isNeeded",
          exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as "hasTriggers"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (${SCHEMAS}) and c.relkind = 'r' and c.relname not in (${OTHER_TABLES})
    order by n.nspname, c.relname`,
);
// Names and types of all columns: saved rows fit the tables only if these are equal.
const SHAPE = statement(
  "",
  `select md5(string_agg(concat_ws(' ', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)), ','
                         order by n.nspname, c.relname, a.attname)) as shape
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in (${SCHEMAS}) and c.relkind = 'r' and c.relname not in (${OTHER_TABLES})`,
);

/** Next value of a sequence. */
export interface CatalogSequence {
  readonly schema: string;
  readonly name: string;
  readonly next: number;
}

// The sequence of process numbers is not part of the data.
const SEQUENCES = statement(
  "",
  `select schemaname as schema, sequencename as name, coalesce(last_value + increment_by, start_value) as next
     from pg_sequences
    where schemaname in (${SCHEMAS}) and sequencename <> 'job_processes'
    order by 1, 2`,
);

const schemaExists = statement("", "select 1 from pg_namespace where nspname = $1");

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const qualifiedName = ({ schema, name }: Pick<CatalogTable, "schema" | "name">): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** Reads tables and sequences from the database catalog. */
export const catalogStore = (db: Db) => ({
  tables: () => db.rows<CatalogTable>(TABLES, []),
  shape: async () => (await db.one<{ shape: string | null }>(SHAPE, []))?.shape ?? "",
  sequences: () => db.rows<CatalogSequence>(SEQUENCES, []),
  hasSchema: async (name: string) => (await db.one(schemaExists, [name])) !== undefined,
  /** -> the tables that have rows */
  async filled(tables: readonly CatalogTable[]): Promise<CatalogTable[]> {
    if (tables.length === 0) return [];
    const checks = tables.map(
      (table, place) => `select ${place} as place where exists (select from ${qualifiedName(table)})`,
    );
    const rows = await db.rows<{ place: number }>(statement("", checks.join(" union all ")), []);
    return rows.flatMap(({ place }) => tables[place] ?? []);
  },
});

/** Sorts tables so that referenced tables come first. */
export function inDependencyOrder(tables: readonly CatalogTable[]): CatalogTable[] {
  const byName = new Map(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  const ordered = new Set<CatalogTable>();
  const visit = (table: CatalogTable): void => {
    if (ordered.has(table)) return;
    for (const name of table.needs) {
      const referenced = byName.get(name);
      if (referenced) visit(referenced);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table);
  return [...ordered];
}
