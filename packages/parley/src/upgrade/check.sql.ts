import { statement, type Connection } from "@parley/database";

/** A session of the database. */
export interface DatabaseSessionRow {
  readonly application: string;
  /** `null`: a socket of the server's own machine. */
  readonly address: string | null;
  readonly user: string;
  /** How long its transaction has been open; null without a transaction. @units seconds */
  readonly transaction_seconds: number | null;
}

export interface TableSize {
  readonly name: string;
  /** An estimate, of the last time that PostgreSQL analysed the table. */
  readonly rows: number;
  /** With indexes. @units bytes */
  readonly bytes: number;
}

const SESSIONS = statement(
  "",
  `select application_name as application, host(client_addr) as address, coalesce(usename, '') as user,
          extract(epoch from now() - xact_start)::float8 as transaction_seconds
     from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
    order by 1, 2`,
);
const SIZES = statement(
  "",
  `select relname as name, greatest(reltuples, 0)::int8 as rows, pg_total_relation_size(c.oid)::int8 as bytes
     from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = $1 and relkind = 'r' order by 1`,
);

/** Reads what an upgrade meets. */
export const upgradeStore = (connection: Connection) => ({
  sessions: () => connection.rows<DatabaseSessionRow>(SESSIONS, []),
  sizes: (schema: string) => connection.rows<TableSize>(SIZES, [schema]),
});
