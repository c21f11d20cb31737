/** A metric of a process, or of the whole installation. */
interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence for operators. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /**
   * Where the values come from. `process`: each process has its own, with a label `process`. `sum`: the values of all processes are added.
   * `installation`: they are read from the database, and every machine reports the same.
   */
  readonly scope: "process" | "sum" | "installation";
}

/** From a fast read to the time limit of a request. @units seconds */
const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const ATTEMPT_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Sizes of batches, up to the largest that is formed. */
const BATCH_ITEMS = [1, 2, 4, 8, 16, 32, 64, 128] as const;

/** Every metric of Parley. Labels have few values: never ids, names of accounts, or addresses. */
export const METRICS = {
  parley_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from the beginning of a request to the end of its response, by the endpoint's route and the response's status.",
    labels: ["route", "status"],
    buckets: REQUEST_SECONDS,
    scope: "sum",
  },
  parley_http_requests_in_progress: {
    type: "gauge",
    help: "Requests whose response has not ended.",
    labels: [],
    scope: "process",
  },
  parley_http_refusals_total: {
    type: "counter",
    help: "Refused requests by the token of the error.",
    labels: ["status"],
    scope: "sum",
  },
  parley_http_streams: {
    type: "gauge",
    help: "Open event streams.",
    labels: [],
    scope: "process",
  },
  parley_write_batch_items: {
    type: "histogram",
    help: "Writes that were committed in one transaction, by the kind of write.",
    labels: ["kind"],
    buckets: BATCH_ITEMS,
    scope: "sum",
  },
  parley_write_queue_items: {
    type: "gauge",
    help: "Writes that wait for the next transaction, by the kind of write.",
    labels: ["kind"],
    scope: "process",
  },
  parley_read_batch_items: {
    type: "histogram",
    help: "Reads that were answered by one statement, by the kind of read.",
    labels: ["kind"],
    buckets: BATCH_ITEMS,
    scope: "sum",
  },
  parley_database_connections: {
    type: "gauge",
    help: "Connections to PostgreSQL by pool and state: busy or idle.",
    labels: ["pool", "state"],
    scope: "process",
  },
  parley_database_waiting: {
    type: "gauge",
    help: "Callers that wait for a connection, by pool.",
    labels: ["pool"],
    scope: "process",
  },
  parley_database_broken_connections: {
    type: "gauge",
    help: "Connections to PostgreSQL that were lost or discarded since the process began.",
    labels: [],
    scope: "process",
  },
  parley_event_lag_seconds: {
    type: "gauge",
    help: "Age of the oldest event that a process has read from the log and a subscriber has not received, by the kind of subscriber.",
    labels: ["kind"],
    scope: "process",
  },
  parley_events_pending: {
    type: "gauge",
    help: "Events that a process has read from the log and a subscriber has not received, by the kind of subscriber.",
    labels: ["kind"],
    scope: "process",
  },
  parley_event_partitions: {
    type: "gauge",
    help: "Partitions of the events that the process delivers. All processes together have 64.",
    labels: [],
    scope: "process",
  },
  parley_delivery_attempt_duration_seconds: {
    type: "histogram",
    help: "Duration of attempts to deliver an event, by the kind of subscriber and the outcome.",
    labels: ["kind", "outcome"],
    buckets: ATTEMPT_SECONDS,
    scope: "sum",
  },
  parley_deliveries: {
    type: "gauge",
    help: "Deliveries that are retried (waiting), held because an earlier one is retried (aside), or given up (dead), by the kind of subscriber.",
    labels: ["kind", "state"],
    scope: "installation",
  },
  parley_dead_letters_total: {
    type: "counter",
    help: "Events that were given up after their last attempt, by the kind of subscriber.",
    labels: ["kind"],
    scope: "sum",
  },
  parley_jobs_due: {
    type: "gauge",
    help: "Background jobs whose time has come, by task.",
    labels: ["task"],
    scope: "installation",
  },
  parley_schedules_due: {
    type: "gauge",
    help: "Schedules of apps whose time has come.",
    labels: [],
    scope: "installation",
  },
  parley_platform_request_duration_seconds: {
    type: "histogram",
    help: "Time from the beginning of a request to the platform of apps to the end of its response, by the kind of request and the response's status.",
    labels: ["kind", "status"],
    buckets: REQUEST_SECONDS,
    scope: "sum",
  },
  parley_app_processes: {
    type: "gauge",
    help: "Processes of apps' code by state, busy or idle; waiting counts installations that wait for a process.",
    labels: ["state"],
    scope: "process",
  },
  parley_app_process_memory_bytes: {
    type: "gauge",
    help: "Memory of the processes of apps' code.",
    labels: [],
    scope: "process",
  },
  parley_app_process_starts_total: {
    type: "counter",
    help: "Processes of apps' code that were started.",
    labels: [],
    scope: "sum",
  },
  parley_app_call_duration_seconds: {
    type: "histogram",
    help: "Duration of calls of apps' handlers, by the kind of call and the outcome.",
    labels: ["kind", "outcome"],
    buckets: ATTEMPT_SECONDS,
    scope: "sum",
  },
  parley_postgres_up: {
    type: "gauge",
    help: "1: PostgreSQL accepts writes; 0: it does not.",
    labels: [],
    scope: "installation",
  },
  parley_postgres_connections: {
    type: "gauge",
    help: "Sessions of the PostgreSQL server, and the number that it accepts (state max).",
    labels: ["state"],
    scope: "installation",
  },
  parley_postgres_database_bytes: {
    type: "gauge",
    help: "Size of the database.",
    labels: [],
    scope: "installation",
  },
  parley_postgres_oldest_transaction_seconds: {
    type: "gauge",
    help: "Age of the oldest open transaction of the database.",
    labels: [],
    scope: "installation",
  },
  parley_postgres_replication_lag_bytes: {
    type: "gauge",
    help: "How far the standby that is farthest behind is behind the primary; absent without a standby or without the right to see it.",
    labels: [],
    scope: "installation",
  },
  parley_uploads_up: {
    type: "gauge",
    help: "1: uploads can be stored; 0: their storage is full, read-only or not reached.",
    labels: [],
    scope: "process",
  },
  parley_uploads_disk_bytes: {
    type: "gauge",
    help: "Size of the disk of uploads and its free space (state total or free); absent for a bucket.",
    labels: ["state"],
    scope: "process",
  },
  parley_data_disk_bytes: {
    type: "gauge",
    help: "Size of the disk of the data folder and its free space (state total or free). With the embedded server it is the disk of the database.",
    labels: ["state"],
    scope: "process",
  },
  parley_backup_age_seconds: {
    type: "gauge",
    help: "Time since the last complete backup by a command with the data folder of this machine; absent before the first backup.",
    labels: [],
    scope: "process",
  },
  parley_workers: {
    type: "gauge",
    help: "Processes that run, by part: service or platform.",
    labels: ["part"],
    scope: "sum",
  },
  parley_worker_restarts_total: {
    type: "counter",
    help: "Processes that ended by themselves and were started again, by part.",
    labels: ["part"],
    scope: "sum",
  },
  parley_log_failures_total: {
    type: "counter",
    help: "Warnings and errors of the log, also those that are not written because they repeat another entry.",
    labels: ["level"],
    scope: "sum",
  },
  parley_build_info: {
    type: "gauge",
    help: "1, with the version of Parley and of Node.js.",
    labels: ["version", "node"],
    scope: "sum",
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
export type MetricNameOf<T extends MetricRow["type"]> = {
  [N in MetricName]: (typeof METRICS)[N]["type"] extends T ? N : never;
}[MetricName];
/** Values of a metric's labels, by name. */
export type MetricLabels<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]["labels"][number], string>>;
