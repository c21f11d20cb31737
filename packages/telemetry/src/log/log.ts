/** Severity of a log line: `error` needs an operator, `warn` may need an operator; `debug` is written by apps only. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Subject of a line. A value is never a secret, and never a text that a customer or an agent has written. */
export interface LogFields {
  /** `info` when absent. */
  readonly level?: LogLevel;
  /** The part of the process, such as `events` or `jobs`. */
  readonly part?: string;
  /** Name of the account. */
  readonly account?: string | undefined;
  /** Name of the app whose output the line is. */
  readonly app?: string | undefined;
  /** Id of the request, the value of its response's header `X-Request-Id`. */
  readonly request_id?: string | undefined;
  /** The requests that a count of repetitions stands for. */
  readonly request_ids?: readonly string[] | undefined;
  /** Failures with the same key count as repetitions of one another; by default those whose messages differ in numbers only. Not written. */
  readonly key?: string | undefined;
}

/** Writes a line to the log of the process. A message can contain line breaks, such as those of a stack. */
export type Log = (message: string, fields?: LogFields) => void;
