import { channel } from "node:diagnostics_channel";
import type { Log, LogLevel } from "./log.ts";

/** Receives the level of each warning and error. */
const FAILURES = channel("parley:log:failure");

/** Calls the function for each warning and error of this process, also for those that are not written. */
export const onLoggedFailure = (listener: (level: LogLevel) => void): void =>
  FAILURES.subscribe((level) => listener(level as LogLevel));

interface ThrottleOptions {
  /** How long the repetitions of a line are counted and not written. @units milliseconds */
  readonly intervalMs?: number;
  /** @units milliseconds */
  readonly now?: () => number;
}

/** Lines that are remembered at most: messages with ids of their own are not repeated. */
const REMEMBERED_MAX = 500;
const INTERVAL_MS = 5_000;

/** A number in a message, such as a duration or a port, makes it no other message. */
const NUMBERS = /\d+/g;

/**
 * Writes a repeated warning or error once in an interval, and then how often it was repeated: a failure of the database can make thousands of
 * requests fail. Other lines are written as they are.
 */
export const throttleFailures = (
  log: Log,
  { intervalMs = INTERVAL_MS, now = () => performance.now() }: ThrottleOptions = {},
): Log => {
  const recent = new Map<string, { readonly at: number; count: number }>();
  const remember = (key: string, at: number) => {
    recent.delete(key);
    recent.set(key, { at, count: 0 });
    const [oldest] = recent.keys();
    if (recent.size > REMEMBERED_MAX && oldest !== undefined) recent.delete(oldest);
  };
  return (message, fields = {}) => {
    const { level, part = "", app, key: given } = fields;
    // The output of an app has limits of its own.
    if ((level !== "warn" && level !== "error") || app !== undefined) return log(message, fields);
    FAILURES.publish(level);
    const [firstLine = ""] = message.split("\n", 1);
    const key = given ?? [level, part, firstLine.replaceAll(NUMBERS, "0")].join("\u0000");
    const at = now();
    const last = recent.get(key);
    if (last && at - last.at < intervalMs) return void (last.count += 1);
    remember(key, at);
    if (!last?.count) return log(message, fields);
    const seconds = Math.round((at - last.at) / 1_000);
    log(`${message}\n(repeated ${last.count} times in the ${seconds} s before)`, fields);
  };
};
