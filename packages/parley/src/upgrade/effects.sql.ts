import { statement, type ConcurrentIndex, type Connection } from "@parley/database";

/** A table before a migration. */
export interface TableBefore {
  readonly oid: number;
  readonly name: string;
  /** File of its rows; another file after the table was rewritten. */
  readonly file: number;
}

/** A table that a migration touched. */
export interface TableAfter {
  readonly oid: number;
  readonly file: number | null;
  /** Modes of the locks that the transaction holds. */
  readonly modes: readonly string[];
  /** Indexes that the transaction built on it. */
  readonly built: number;
}

const TABLES = statement(
  "",
  `select oid::int8 as oid, relname as name, relfilenode::int8 as file
     from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'migrations'
    order by relname`,
);

const TOUCHED = statement(
  "",
  `with before as (select unnest($1::int8[])::oid as oid),
        held as (
          select relation as oid, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'
        )
   select b.oid::int8 as oid, (select relfilenode::int8 from pg_class c where c.oid = b.oid) as file,
          array(select distinct mode from held where held.oid = b.oid) as modes,
          (select count(*)::integer from pg_index i join pg_class c on c.oid = i.indexrelid
            where i.indrelid = b.oid and c.xmin::text::int8 = pg_current_xact_id()::text::int8 % 4294967296) as built
     from before b
    where exists (select from held where held.oid = b.oid)`,
);

/** Reads what a migration does, on tables without rows. */
export const effectsStore = (connection: Connection) => ({
  /** On a table without rows, which nobody else uses. */
  buildIndex: ({ name, on }: ConcurrentIndex) => connection.script(`create index ${name} on ${on}`),
  tables: () => connection.rows<TableBefore>(TABLES, []),
  /** Within the transaction of the migration. */
  touched: (tables: readonly TableBefore[]) => connection.rows<TableAfter>(TOUCHED, [tables.map(({ oid }) => oid)]),
});
