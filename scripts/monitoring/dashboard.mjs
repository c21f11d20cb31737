/** The Grafana dashboard `deploy/monitoring/dashboard.json`. */

/** Expressions over histograms: a quantile over the time range of a point. */
const quantile = (q, metric, by = [], where = "") =>
  `histogram_quantile(${q}, sum by (${["le", ...by].join(", ")}) (rate(${metric}_bucket${where}[$__rate_interval])))`;
const rate = (metric, by, where = "") => `sum by (${by.join(", ")}) (rate(${metric}${where}[$__rate_interval]))`;
const average = (metric, by) =>
  `sum by (${by.join(", ")}) (rate(${metric}_sum[$__rate_interval])) / sum by (${by.join(", ")}) (rate(${metric}_count[$__rate_interval]))`;
/** A value that every machine reports in the same way counts once. */
const shared = (metric, by = []) => (by.length === 0 ? `max(${metric})` : `max by (${by.join(", ")}) (${metric})`);

const REQUESTS = "parley_http_request_duration_seconds";
const ATTEMPTS = "parley_delivery_attempt_duration_seconds";
const CALLS = "parley_app_call_duration_seconds";
const PLATFORM_REQUESTS = "parley_platform_request_duration_seconds";

/** @shape `[row, [[title, unit, [[expression, legend]]]]]` */
const ROWS = [
  [
    "Requests",
    [
      ["Requests a second by status", "reqps", [[rate(`${REQUESTS}_count`, ["status"]), "{{status}}"]]],
      [
        "Latency of requests",
        "s",
        [
          [quantile(0.5, REQUESTS), "p50"],
          [quantile(0.95, REQUESTS), "p95"],
          [quantile(0.99, REQUESTS), "p99"],
        ],
      ],
      ["Slowest endpoints (p95)", "s", [[`topk(8, ${quantile(0.95, REQUESTS, ["route"])})`, "{{route}}"]]],
      ["Refusals a second", "reqps", [[rate("parley_http_refusals_total", ["status"]), "{{status}}"]]],
      ["Requests in progress", "short", [["parley_http_requests_in_progress", "{{instance}} {{process}}"]]],
      ["Uploads can be stored", "short", [["min by (instance) (parley_uploads_up)", "{{instance}}"]]],
      [
        "Disk of uploads",
        "bytes",
        [["min by (instance, state) (parley_uploads_disk_bytes)", "{{instance}} {{state}}"]],
      ],
      ["Open event streams", "short", [["parley_http_streams", "{{instance}} {{process}}"]]],
    ],
  ],
  [
    "Events",
    [
      ["Age of the oldest undelivered event", "s", [["max by (kind) (parley_event_lag_seconds)", "{{kind}}"]]],
      ["Undelivered events", "short", [["sum by (kind) (parley_events_pending)", "{{kind}}"]]],
      ["Attempts a second", "cps", [[rate(`${ATTEMPTS}_count`, ["kind", "outcome"]), "{{kind}} {{outcome}}"]]],
      ["Duration of attempts (p95)", "s", [[quantile(0.95, ATTEMPTS, ["kind"]), "{{kind}}"]]],
      [
        "Deliveries that are not done",
        "short",
        [[shared("parley_deliveries", ["kind", "state"]), "{{kind}} {{state}}"]],
      ],
      ["Dead letters a minute", "cpm", [[`60 * ${rate("parley_dead_letters_total", ["kind"])}`, "{{kind}}"]]],
      ["Partitions by process", "short", [["parley_event_partitions", "{{instance}} {{process}}"]]],
      [
        "Due work",
        "short",
        [
          [shared("parley_jobs_due", ["task"]), "job {{task}}"],
          [shared("parley_schedules_due"), "schedules of apps"],
        ],
      ],
    ],
  ],
  [
    "Apps",
    [
      ["Calls of handlers a second", "cps", [[rate(`${CALLS}_count`, ["kind", "outcome"]), "{{kind}} {{outcome}}"]]],
      ["Duration of calls (p95)", "s", [[quantile(0.95, CALLS, ["kind"]), "{{kind}}"]]],
      [
        "Requests to the platform a second",
        "reqps",
        [[rate(`${PLATFORM_REQUESTS}_count`, ["kind", "status"]), "{{kind}} {{status}}"]],
      ],
      ["Requests to the platform (p95)", "s", [[quantile(0.95, PLATFORM_REQUESTS, ["kind"]), "{{kind}}"]]],
      ["Processes of apps", "short", [["sum by (state) (parley_app_processes)", "{{state}}"]]],
      ["Memory of apps", "bytes", [["parley_app_process_memory_bytes", "{{instance}} {{process}}"]]],
      [
        "Starts of processes a minute",
        "cpm",
        [["60 * sum(rate(parley_app_process_starts_total[$__rate_interval]))", "starts"]],
      ],
    ],
  ],
  [
    "PostgreSQL",
    [
      ["Accepts writes", "bool_yes_no", [[shared("parley_postgres_up"), "accepts writes"]]],
      ["Sessions", "short", [[shared("parley_postgres_connections", ["state"]), "{{state}}"]]],
      ["Size of the database", "bytes", [[shared("parley_postgres_database_bytes"), "size"]]],
      [
        "Disk of the data folder",
        "bytes",
        [["min by (instance, state) (parley_data_disk_bytes)", "{{instance}} {{state}}"]],
      ],
      ["Age of the last backup", "s", [["min(parley_backup_age_seconds)", "age"]]],
      ["Oldest transaction", "s", [[shared("parley_postgres_oldest_transaction_seconds"), "age"]]],
      ["Standby behind the primary", "bytes", [[shared("parley_postgres_replication_lag_bytes"), "behind"]]],
      ["Connections in use", "short", [["sum by (pool, state) (parley_database_connections)", "{{pool}} {{state}}"]]],
      ["Callers that wait for a connection", "short", [["sum by (pool) (parley_database_waiting)", "{{pool}}"]]],
      ["Lost connections", "short", [["sum by (instance) (parley_database_broken_connections)", "{{instance}}"]]],
      [
        "Items of a batch (average)",
        "short",
        [
          [average("parley_write_batch_items", ["kind"]), "write {{kind}}"],
          [average("parley_read_batch_items", ["kind"]), "read {{kind}}"],
        ],
      ],
      ["Writes that wait", "short", [["sum by (kind) (parley_write_queue_items)", "{{kind}}"]]],
    ],
  ],
  [
    "Processes",
    [
      [
        "Processor time",
        "percentunit",
        [["rate(process_cpu_seconds_total[$__rate_interval])", "{{instance}} {{process}}"]],
      ],
      ["Memory", "bytes", [["process_resident_memory_bytes", "{{instance}} {{process}}"]]],
      ["Delay of the event loop (p99)", "s", [["nodejs_eventloop_lag_p99_seconds", "{{instance}} {{process}}"]]],
      ["Running processes", "short", [["sum by (part) (parley_workers)", "{{part}}"]]],
      ["Restarts an hour", "short", [["sum by (part) (increase(parley_worker_restarts_total[1h]))", "{{part}}"]]],
      ["Warnings and errors a minute", "cpm", [[`60 * ${rate("parley_log_failures_total", ["level"])}`, "{{level}}"]]],
      ["Versions", "short", [["sum by (version, node) (parley_build_info)", "{{version}}, Node.js {{node}}"]]],
    ],
  ],
];

const SOURCE = { type: "prometheus", uid: "${source}" };
const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8];

const panelOf = ([title, unit, queries], id, x, y) => ({
  id,
  type: "timeseries",
  title,
  datasource: SOURCE,
  gridPos: { x, y, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: "never" } }, overrides: [] },
  options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: SOURCE,
    expr,
    legendFormat,
  })),
});

/** @returns the text of the file */
export const dashboard = () => {
  const panels = [];
  let y = 0;
  for (const [title, charts] of ROWS) {
    panels.push({ id: panels.length + 1, type: "row", title, gridPos: { x: 0, y, w: 24, h: 1 }, collapsed: false });
    y += 1;
    for (const [index, chart] of charts.entries())
      panels.push(
        panelOf(chart, panels.length + 1, (index % COLUMNS) * WIDTH, y + Math.floor(index / COLUMNS) * HEIGHT),
      );
    y += Math.ceil(charts.length / COLUMNS) * HEIGHT;
  }
  const content = {
    title: "Parley",
    uid: "parley",
    tags: ["parley"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Prometheus", type: "datasource", query: "prometheus", current: {} }],
    },
    panels,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
};
