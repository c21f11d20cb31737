import { statement, type Db } from "@parley/database";

interface DeliveryCount {
  readonly kind: "app" | "webhook";
  readonly state: "waiting" | "aside" | "dead";
  readonly count: number;
}

interface DueWork {
  readonly task: string;
  readonly count: number;
}

interface ServerState {
  readonly sessions: number;
  readonly sessions_max: number;
  readonly database_bytes: number;
  /** @units seconds */
  readonly oldest_transaction_s: number | null;
  /** null: no standby is connected, or this role may not see it. @units bytes */
  readonly replication_lag_bytes: number | null;
}

// A join of all rows that are then counted takes twice as long.
const DELIVERIES = statement(
  "telemetry_deliveries",
  `select s.kind, d.state, sum(d.count)::float8 as count
     from subscriptions s,
          lateral (select state, count(*) from deliveries
                    where subscription_id = s.id and state in ('waiting', 'aside', 'dead') group by state) d
    group by s.kind, d.state`,
);
const DUE_WORK = statement(
  "telemetry_due_work",
  "select task, count(*)::integer as count from due_work where queued or due_time <= $1 group by task",
);
// Counted over all databases: max_connections is a limit of the server.
const SERVER = statement(
  "telemetry_server",
  `select (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as sessions,
          current_setting('max_connections')::integer as sessions_max,
          pg_database_size(current_database()) as database_bytes,
          (select extract(epoch from now() - min(xact_start))::float8 from pg_stat_activity
            where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()) as oldest_transaction_s,
          (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::float8 from pg_stat_replication
            where replay_lsn is not null) as replication_lag_bytes`,
);
const EVENT_AGE = statement(
  "telemetry_event_age",
  `select seq, extract(epoch from clock_timestamp() - created_time)::float8 as age_s from outbox where seq = any($1::bigint[])`,
);

/** Reads the values that are measured in the database. */
export const telemetryStore = (db: Db) => ({
  /** Deliveries that are not done. */
  deliveries: () => db.rows<DeliveryCount>(DELIVERIES, []),
  dueWork: (now: Date) => db.rows<DueWork>(DUE_WORK, [now]),
  server: () => db.one<ServerState>(SERVER, []),
  /** @units age_s: seconds */
  eventAges: (positions: readonly number[]) =>
    db.rows<{ readonly seq: number; readonly age_s: number }>(EVENT_AGE, [positions]),
});
export type TelemetryStore = ReturnType<typeof telemetryStore>;
