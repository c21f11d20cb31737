import { INSTANCE_COMMANDS as INSTANCE, type EnvironmentRow } from "./commands.ts";

/** Environment variables of probes, metrics and the log. */
export const MONITORING_ENVIRONMENT = {
  PARLEY_STOP_DELAY_SECONDS: {
    group: "Monitoring",
    sets: "seconds for which requests are served after SIGTERM while GET /ready answers 503, so that load balancers send no more",
    unset: "0",
    commands: ["serve"],
    page: ["Monitoring", "operators/monitoring.md#probes"],
  },
  PARLEY_METRICS_PORT: {
    group: "Monitoring",
    sets: "port of the metrics for Prometheus, at /metrics on the host of the service; 0 chooses a free port",
    unset: "no metrics",
    commands: INSTANCE,
    page: ["Monitoring", "operators/monitoring.md#metrics"],
  },
  PARLEY_LOG_FORMAT: {
    group: "Monitoring",
    sets: "form of the log on standard error: text, or json for one object a line",
    unset: "text",
    commands: INSTANCE,
    page: ["Monitoring", "operators/monitoring.md#log"],
  },
  PARLEY_LOG_LEVEL: {
    group: "Monitoring",
    sets: "least severe lines of the log: debug, info, warn or error",
    unset: "debug",
    commands: INSTANCE,
    page: ["Monitoring", "operators/monitoring.md#log"],
  },
} as const satisfies Readonly<Record<string, EnvironmentRow>>;
