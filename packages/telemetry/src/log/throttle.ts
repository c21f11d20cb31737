import { channel } from "node:diagnostics_channel";
import type { Log, LogFields, LogLevel } from "./log.ts";

/** Receives the level of each warning and error. */
const FAILURES = channel("parley:log:failure");

/** Calls the function for each warning and error of this process, also for those that are not written. */
export const onLoggedFailure = (listener: (level: LogLevel) => void): void =>
  FAILURES.subscribe((level) => listener(level as LogLevel));

interface ThrottleOptions {
  /** How long the repetitions of a line are counted and not written. @units milliseconds */
  readonly intervalMs?: number;
  /** Calls the task once after the time in milliseconds, unless the process has ended. -> prevents the call */
  readonly later?: (task: () => void, ms: number) => () => void;
}

interface Repeated {
  count: number;
  /** Of the requests that failed, and their length in total. */
  requestIds: string[];
  idCharacters: number;
  /** Of the last repetition. */
  message: string;
  fields: LogFields;
  cancel: () => void;
}

/** Lines that are remembered at most: messages with ids of their own are not repeated. */
const REMEMBERED_MAX = 500;
const INTERVAL_MS = 5_000;
/** Length of all ids of requests in a line. A proxy may choose long ids. @units characters */
const ID_CHARACTERS_MAX = 16_384;

/** A number in a message, such as a duration or a port, makes it no other message. */
const NUMBERS = /\d+/g;

const afterTime = (task: () => void, ms: number): (() => void) => {
  const timer = setTimeout(task, ms).unref();
  return () => clearTimeout(timer);
};

/**
 * Writes a repeated warning or error, or line with a key, once, and at the end of each interval how often it was repeated, with the ids of the
 * requests: a failure of the database can make thousands of requests fail. Other lines are written as they are.
 */
export const throttleFailures = (
  log: Log,
  { intervalMs = INTERVAL_MS, later = afterTime }: ThrottleOptions = {},
): Log => {
  const remembered = new Map<string, Repeated>();
  const writeCount = (repeated: Repeated) => {
    const { count, requestIds, message, fields } = repeated;
    const times = count === 1 ? "once more" : `${count} times more`;
    const ids = requestIds.length === 0 ? {} : { request_id: undefined, request_ids: requestIds };
    if (count > 0)
      log(`${message}\n(${times} within ${Math.max(1, Math.round(intervalMs / 1_000))} s)`, { ...fields, ...ids });
    Object.assign(repeated, { count: 0, requestIds: [], idCharacters: 0 });
  };
  const addRepetition = (repeated: Repeated, message: string, fields: LogFields) => {
    const { request_id: id } = fields;
    Object.assign(repeated, { message, fields });
    repeated.count += 1;
    if (id === undefined || repeated.idCharacters + id.length > ID_CHARACTERS_MAX) return;
    repeated.requestIds.push(id);
    repeated.idCharacters += id.length;
  };
  const forget = (key: string, repeated: Repeated) => {
    repeated.cancel();
    remembered.delete(key);
    writeCount(repeated);
  };
  const endInterval = (key: string, repeated: Repeated) => {
    if (repeated.count === 0) return void remembered.delete(key);
    writeCount(repeated);
    repeated.cancel = later(() => endInterval(key, repeated), intervalMs);
  };
  return (message, fields = {}) => {
    const { level, part = "", app, key: given } = fields;
    // The output of an app has limits of its own.
    const isFailure = level === "warn" || level === "error";
    if ((!isFailure && given === undefined) || app !== undefined) return log(message, fields);
    if (isFailure) FAILURES.publish(level);
    const [firstLine = ""] = message.split("\n", 1);
    const key = given ?? [level, part, firstLine.replaceAll(NUMBERS, "0")].join("\u0000");
    const known = remembered.get(key);
    if (known) return addRepetition(known, message, fields);
    log(message, fields);
    const repeated: Repeated = {
      ...{ count: 0, requestIds: [], idCharacters: 0, message, fields },
      cancel: () => undefined,
    };
    repeated.cancel = later(() => endInterval(key, repeated), intervalMs);
    remembered.set(key, repeated);
    const [oldest] = remembered;
    if (remembered.size > REMEMBERED_MAX && oldest) forget(...oldest);
  };
};
