import { statement, type Connection } from "@parley/database";

/** Settings of the server of the database, for a session as Parley opens it. */
export interface ServerState {
  readonly version_number: number;
  readonly version: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly time_zone: string;
  readonly encoding: string;
  readonly max_connections: number;
  /** Of the role or the database; -1: no limit. */
  readonly connection_limit: number;
  /** Sessions that may not be used by this role, and those of other programs. */
  readonly reserved: number;
  readonly other_sessions: number;
  /** @units milliseconds; 0: no limit */
  readonly statement_timeout: number;
  readonly idle_session_timeout: number;
  readonly idle_transaction_timeout: number;
  readonly transaction_timeout: number;
  readonly is_superuser: boolean;
  readonly collation_version: string | null;
  readonly actual_collation_version: string | null;
  readonly database: string;
  readonly clock: Date;
}

const MS = (name: string) => `coalesce((select setting::int8 from pg_settings where name = '${name}'), 0)`;
const STATE = statement(
  "",
  `select current_setting('server_version_num')::integer as version_number, current_setting('server_version') as version,
          current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
          current_setting('synchronous_commit') as synchronous_commit, current_setting('TimeZone') as time_zone,
          pg_encoding_to_char(d.encoding) as encoding, current_setting('max_connections')::integer as max_connections,
          case when rolconnlimit = -1 then datconnlimit when datconnlimit = -1 then rolconnlimit
               else least(rolconnlimit, datconnlimit) end as connection_limit,
          (select coalesce(sum(setting::integer), 0)::integer from pg_settings
            where name in ('superuser_reserved_connections', 'reserved_connections')) as reserved,
          (select count(*)::integer from pg_stat_activity
            where backend_type = 'client backend' and application_name not like 'parley%') as other_sessions,
          ${MS("statement_timeout")} as statement_timeout, ${MS("idle_session_timeout")} as idle_session_timeout,
          ${MS("idle_in_transaction_session_timeout")} as idle_transaction_timeout,
          ${MS("transaction_timeout")} as transaction_timeout, rolsuper as is_superuser,
          d.datcollversion as collation_version, pg_database_collation_actual_version(d.oid) as actual_collation_version,
          d.datname as database, clock_timestamp() as clock
     from pg_database d, pg_roles r
    where d.datname = current_database() and r.rolname = current_user`,
);
const HAS_ACCOUNTS = statement("", "select to_regclass('parley_service.tokens') is not null as is_there");
const DEMO = statement(
  "",
  `select a.name, (select count(*)::integer from parley_service.tokens t
                    where t.account_id = a.id and t.revoked_time is null and t.expires_time > now()) as tokens
     from parley_service.accounts a
    where a.name in ('acme', 'solo') and a.configuration like '%.parley.localhost%' order by 1`,
);

export interface DemoAccountRow {
  readonly name: string;
  /** Number of its valid API keys. */
  readonly tokens: number;
}

export const serverStore = (connection: Connection) => ({
  state: async (): Promise<ServerState> => {
    const state = await connection.one<ServerState>(STATE, []);
    if (!state) throw new Error("the server did not describe its state");
    return state;
  },
  /** The accounts that --demo created. */
  demoAccounts: async (): Promise<DemoAccountRow[]> => {
    const found = await connection.one<{ is_there: boolean }>(HAS_ACCOUNTS, []);
    return found?.is_there ? connection.rows<DemoAccountRow>(DEMO, []) : [];
  },
});
