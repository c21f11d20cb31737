/** Reports of a process about itself: log lines, metrics, traces. */
export { failureText, failureTextWithStack } from "./log/failure-text.ts";
export { LOG_FORMATS, logText, type LogFormat } from "./log/format.ts";
export { LOG_LEVELS, type Log, type LogFields, type LogLevel } from "./log/log.ts";
export { createProcessLog } from "./log/process-log.ts";
export { onLoggedFailure, throttleFailures } from "./log/throttle.ts";
export { METRICS } from "./metrics/catalogue.ts";
export { NO_METRICS, openMetricsScope, type Metrics } from "./metrics/metrics.ts";
export { createMetricRegistry, type MetricRegistry, type MetricsSnapshot } from "./metrics/registry.ts";
export { METRICS_PATH, serveMetrics } from "./metrics/serve-metrics.ts";
export {
  contextOf,
  currentTraceParent,
  inContext,
  inSpan,
  isTracing,
  openSpan,
  TRACE_PARENT_HEADER,
  traceHeaders,
  type OpenSpan,
  type TraceContext,
} from "./traces/traces.ts";
