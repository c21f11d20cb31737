import type { LogFields } from "./log.ts";

/** How lines are written: `text` for people, `json` for collectors, one object a line. */
export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** A line with its time, as it is formatted. */
interface LogEntry {
  /** @shape `2026-01-05T09:00:00.000Z`, or `09:00:00` on a terminal */
  readonly time: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** Control characters could write to any position of a reader's terminal; a line break begins a line, as in the stack of an error. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** A line as text, without its time. @shape `error: events: The message. account=acme request_id=…` */
export const logText = (message: string, { key: _, ...fields }: LogFields = {}): string => {
  const { level = "info", part, app, ...about } = fields;
  const begin = app === undefined ? (level === "info" ? "" : `${level}: `) : `[${app}] ${level}: `;
  const named = Object.entries(about).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  const [first = "", ...others] = message.replaceAll(CONTROL, "?").split("\n");
  const head = [`${begin}${part === undefined ? "" : `${part}: `}${first}`, ...named].join(" ");
  return [head, ...others].join("\n");
};

const asText = ({ time, message, fields }: LogEntry): string => `${time} ${logText(message, fields)}`;

/** @shape `{time, level, message, part?, account?, app?, request_id?, request_ids?}` */
const asJson = ({ time, message, fields: { level = "info", key: _, ...about } }: LogEntry): string =>
  JSON.stringify({ time, level, message, ...about });

/** -> a line of the log, without the line break at its end */
export const formatLogEntry: Readonly<Record<LogFormat, (entry: LogEntry) => string>> = { text: asText, json: asJson };
