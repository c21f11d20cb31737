import { formatLogEntry, type LogFormat } from "./format.ts";
import { LOG_LEVELS, type Log, type LogLevel } from "./log.ts";
import { throttleFailures } from "./throttle.ts";

interface ProcessLogOptions {
  readonly format: LogFormat;
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  /** false: lines of the format `text` begin with the local time of day alone. */
  readonly hasDate: boolean;
  /** Receives each line with its line break. */
  readonly write: (text: string) => void;
  readonly now: () => Date;
}

/** The log of a process: formatted lines, without those that are less severe than the level, and without repetitions of failures. */
export const createProcessLog = ({ format, level, hasDate, write, now }: ProcessLogOptions): Log => {
  const lowest = LOG_LEVELS.indexOf(level);
  const timeOf = (date: Date) =>
    hasDate || format === "json" ? date.toISOString() : date.toLocaleTimeString("en-GB", { hour12: false });
  const formatEntry = formatLogEntry[format];
  return throttleFailures((message, fields = {}) => {
    if (LOG_LEVELS.indexOf(fields.level ?? "info") < lowest) return;
    write(`${formatEntry({ time: timeOf(now()), message, fields })}\n`);
  });
};
