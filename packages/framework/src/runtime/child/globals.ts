import { Console } from "node:console";
import { Writable } from "node:stream";
import { format } from "node:util";
import type { LogLevel, Question, Rendered, RequestOptions } from "@parley/contract";

export type Ask = (question: Question) => Promise<unknown>;
export type Log = (level: LogLevel, text: string) => void;

/** The request method, as handlers know it. */
const requestGlobal = (ask: Ask) => ({
  invokeTemplate: (name: string, options: RequestOptions = {}) => ask({ of: "request", name, options }),
});

/** The store of records, as handlers know it. */
const dbGlobal = (ask: Ask) => ({
  get: (key: unknown) => ask({ of: "db.get", key }),
  set: (key: unknown, value: unknown, options?: unknown) => ask({ of: "db.set", key, value, options }),
  update: (key: unknown, action: unknown, attributes: unknown) => ask({ of: "db.update", key, action, attributes }),
  delete: (key: unknown) => ask({ of: "db.delete", key }),
});

/** Node's console, whose lines go to the host. */
const consoleGlobal = (log: Log): Console => {
  const to = (level: LogLevel) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        log(level, chunk.toString().replace(/\n$/, ""));
        done();
      },
    });
  const own = new Console({ stdout: to("info"), stderr: to("error") });
  const levels: readonly [keyof Console, LogLevel][] = [
    ["debug", "debug"],
    ["log", "info"],
    ["info", "info"],
    ["warn", "warn"],
    ["error", "error"],
  ];
  const said = levels.map(([name, level]) => [name, (...values: unknown[]) => log(level, format(...values))] as const);
  return Object.assign(own, Object.fromEntries(said));
};

/** `renderData(refusal?, data?)`: the first argument is an error for every kind of handler. */
const renderGlobal = (rendered: (data: Rendered) => void) => (refusal?: unknown) => {
  const message: unknown = typeof refusal === "object" && refusal !== null ? Reflect.get(refusal, "message") : refusal;
  if (refusal === undefined || refusal === null) return rendered({});
  rendered({ message: typeof message === "string" && message !== "" ? message.slice(0, 1_000) : "The app refused." });
};

/** What the framework gives to handlers, beside Node's own. */
export const globalsFor = (ask: Ask, log: Log, rendered: (data: Rendered) => void) => ({
  $request: Object.freeze(requestGlobal(ask)),
  $db: Object.freeze(dbGlobal(ask)),
  renderData: renderGlobal(rendered),
  console: consoleGlobal(log),
});
