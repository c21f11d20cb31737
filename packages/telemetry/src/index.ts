/** What a process reports about itself: log lines, metrics, traces. */
export { LOG_FORMATS, type LogFormat } from "./log/format.ts";
export { LOG_LEVELS, type Log, type LogFields, type LogLevel } from "./log/log.ts";
export { createProcessLog } from "./log/process-log.ts";
export { throttleFailures } from "./log/throttle.ts";
