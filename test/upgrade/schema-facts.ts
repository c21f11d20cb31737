import { statement, type Connection } from "@parley/database";

/** What statements of the previous release rely on. `of`: the table, `""` for an object that belongs to no table. */
export interface SchemaFact {
  readonly kind: "table" | "column" | "filled" | "unique" | "constraint" | "function" | "sequence";
  readonly of: string;
  readonly name: string;
  /** Type of a column. */
  readonly value: string;
}

/** `filled`: columns that must not be null; their value says whether the database fills them. */
const FACTS = statement(
  "",
  `with tables as (
     select oid, relname from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'migrations'
   )
   select 'table' as kind, relname as of, relname as name, '' as value from tables
   union all
   select 'column', relname, attname, format_type(atttypid, atttypmod) || case when attgenerated <> '' then ' generated' else '' end
     from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
   union all
   select 'filled', relname, attname, case when atthasdef or attidentity <> '' then 'by default' else 'by statements' end
     from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped and attnotnull
   union all
   select 'unique', relname, regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', ''), ''
     from tables join pg_index on indrelid = tables.oid and indisunique
   union all
   select 'constraint', relname, pg_get_constraintdef(pg_constraint.oid), ''
     from tables join pg_constraint on conrelid = tables.oid and contype in ('c', 'f', 'x')
   union all
   select 'function', '', proname || '(' || pg_get_function_identity_arguments(oid) || ')', ''
     from pg_proc where pronamespace = current_schema()::regnamespace
   union all
   select 'sequence', '', relname, '' from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S'
   order by 1, 2, 3`,
);

/** Reads the facts of the connection's schema. */
export const schemaFacts = (connection: Connection): Promise<SchemaFact[]> => connection.rows<SchemaFact>(FACTS, []);

/** Plans a statement without running it: finds what it names that is absent, and conflicts that no unique index decides. */
export const planOf = (text: string) => statement("", `explain (generic_plan) ${text}`);
