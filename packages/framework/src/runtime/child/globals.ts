import { Console } from "node:console";
import { format } from "node:util";
import {
  isObject,
  memberOf,
  type FetchMethod,
  type AppLogLevel,
  type Question,
  type Rendered,
  type ScheduleAction,
  type ServerGlobal,
} from "@parley/contract";
import { entityStorage } from "../../model/entity-interface.ts";
import { logStream } from "./app-process-object.ts";

type Done<T> = ((value: T) => unknown) | null | undefined;
type Failed = ((reason: unknown) => unknown) | null | undefined;

const ignore = () => undefined;

/**
 * Result of `$db`, `$request`, `$schedule` and `generateTargetUrl`: a promise with the additional methods `done`, `fail` and `always`, which apps
 * for platform-version 2 call. Each method returns the promise that it was called on; an error of a listener is an unhandled rejection.
 * @assumed the specification names promises only; public apps chain these three methods
 */
class ChainedPromise<T> extends Promise<T> {
  /** Calls `listener` with the value, or `failed` with the reason. */
  done(listener?: Done<T>, failed: Failed = ignore): this {
    void this.then(listener, failed);
    return this;
  }

  /** Calls `listener` with the reason. */
  fail(listener?: Failed): this {
    void this.then(ignore, listener);
    return this;
  }

  /** Calls `listener` with the value or the reason. */
  always(listener?: (outcome: unknown) => unknown): this {
    void this.then(listener, listener);
    return this;
  }
}

type AskHost = (question: Question) => Promise<unknown>;
type WriteLog = (level: AppLogLevel, text: string | (() => string)) => void;

const FETCH_METHODS: readonly FetchMethod[] = ["get", "post", "put", "patch", "delete"];
const SCHEDULE_ACTIONS: readonly ScheduleAction[] = ["create", "fetch", "update", "delete"];

/** Maximum length of a name or an address that the host accepts. @units characters */
const NAME_LENGTH_MAX = 8_000;

/** An error for a call that can't be sent to the host, with the members of request errors. */
const refused = (response: string) =>
  ChainedPromise.reject(
    Object.assign(new Error(response), { status: 400, headers: {}, response, errorSource: "APP", attempts: 0 }),
  );
/** JSON has no undefined: the member would be missing. */
const orNull = (value: unknown): unknown => value ?? null;

const invokeTemplate =
  (ask: AskHost) =>
  (name: unknown, options: unknown): Promise<unknown> => {
    if (typeof name !== "string" || name.length > NAME_LENGTH_MAX)
      return refused("The name of a request template must be a text");
    if (!isObject(options ?? {})) return refused("The options of a request must be an object");
    const entries = Object.entries((options ?? {}) as Record<string, unknown>).filter(
      ([, value]) => orNull(value) !== null,
    );
    const { context = {}, body = "", query = {} } = Object.fromEntries(entries);
    if (typeof body !== "string") return refused("The body of a request must be a text: use JSON.stringify");
    if (!isObject(context) || !isObject(query)) return refused("context and query of a request must be objects");
    const accepted = entries.filter(([member]) => ["context", "body", "query"].includes(member));
    return ask({ of: "request", name, options: Object.fromEntries(accepted) });
  };

const fetchBy =
  (ask: AskHost, method: FetchMethod) =>
  (url: unknown, options: unknown): Promise<unknown> => {
    const address = String(url);
    if (address.length > NAME_LENGTH_MAX) return refused("The address of a request is too long");
    return ask({ of: "fetch", method, url: address, options: isObject(options) ? options : {} });
  };

/** The object `$request`. */
const requestGlobal = (ask: AskHost) => ({
  invokeTemplate: invokeTemplate(ask),
  ...Object.fromEntries(FETCH_METHODS.map((method) => [method, fetchBy(ask, method)])),
});

/** The object `$db`. */
const dbGlobal = (ask: AskHost) => ({
  get: (key: unknown) => ask({ of: "db.get", key: orNull(key) }),
  set: (key: unknown, value: unknown, options?: unknown) =>
    ask({ of: "db.set", key: orNull(key), value: orNull(value), options }),
  update: (key: unknown, action: unknown, attributes: unknown) =>
    ask({ of: "db.update", key: orNull(key), action: orNull(action), attributes: orNull(attributes) }),
  delete: (key: unknown) => ask({ of: "db.delete", key: orNull(key) }),
  entity: entityStorage((question) => ask({ ...question, args: [...question.args] })),
});

/** The object `$schedule`. */
const scheduleGlobal = (ask: AskHost) =>
  Object.fromEntries(
    SCHEDULE_ACTIONS.map((action) => [
      action,
      (options: unknown) => ask({ of: "schedule", action, options: orNull(options) }),
    ]),
  );

const isV1 = (options: unknown): boolean => isObject(options) && options["version"] === "v1";
const unsupported = (name: string) => () =>
  Promise.reject(Object.assign(new Error(`${name} is not supported here`), { status: 501 }));

/** The object `$credentials`. */
const credentialsGlobal = (ask: AskHost) => ({
  oauth(options?: unknown) {
    if (!isV1(options)) throw new Error(`OAuth credentials have the version v1 only: call oauth({ version: "v1" })`);
    return {
      get: (of?: unknown) => ask({ of: "credentials", name: orNull(isObject(of) ? of["oauthName"] : undefined) }),
      ...Object.fromEntries(
        ["create", "update", "delete"].map((name) => [name, unsupported(`$credentials.oauth().${name}`)]),
      ),
    };
  },
});

/** The object `$job` of the running job. */
const jobGlobal = (ask: AskHost) => ({
  updateStatusMessage: (message: unknown) => ask({ of: "job.status", message: orNull(message) }),
  get: (id: unknown) => ask({ of: "job.get", id: orNull(id) }),
  history: unsupported("$job.history"),
  invoke: unsupported("$job.invoke: a job is begun by client.job.invoke on a page; from server/ it"),
});

/** Node's console, whose lines are sent to the host. */
const consoleGlobal = (log: WriteLog): Console => {
  const appConsole = new Console({
    stdout: logStream((line) => log("info", line)),
    stderr: logStream((line) => log("error", line)),
  });
  const levels: readonly [keyof Console, AppLogLevel][] = [
    ["debug", "debug"],
    ["log", "info"],
    ["info", "info"],
    ["warn", "warn"],
    ["error", "error"],
  ];
  const methods = levels.map(
    ([name, level]) => [name, (...values: unknown[]) => log(level, () => format(...values))] as const,
  );
  return Object.assign(appConsole, Object.fromEntries(methods));
};

const REFUSAL_LENGTH_MAX = 1_000;

/** The text of a rejection by the app: its message, under each name that apps use, or the response of a failed request that the app passes on. */
const messageOf = (refusal: unknown): string => {
  const members = typeof refusal === "object" && refusal !== null ? ["message", "error_msg", "response"] : [];
  const texts = [refusal, ...members.map((name): unknown => Reflect.get(refusal as object, name))];
  const text = texts.find((one): one is string => typeof one === "string" && one !== "");
  return (text ?? "The app refused.").slice(0, REFUSAL_LENGTH_MAX);
};

/** `renderData(error?, data?)`: the first argument is an error for every kind of handler. */
const renderGlobal =
  (rendered: (data: Rendered) => void) =>
  (refusal?: unknown, data?: unknown): void => {
    if (refusal === undefined || refusal === null) return rendered(data === undefined ? {} : { data });
    const status: unknown = typeof refusal === "object" ? Reflect.get(refusal, "status") : undefined;
    rendered({ message: messageOf(refusal), ...(Number.isSafeInteger(status) ? { status: status as number } : {}) });
  };

/** Other options are ignored: the field's function takes no other options. */
const isRenewal = (options: unknown): boolean => memberOf(options, "renew") === true;

/** The framework's globals for handlers, in addition to Node's own. */
export const globalsFor = (askHost: AskHost, log: WriteLog, rendered: (data: Rendered) => void) => {
  const ask: AskHost = (question) => ChainedPromise.resolve(askHost(question));
  return {
    $request: Object.freeze(requestGlobal(ask)),
    $db: Object.freeze(dbGlobal(ask)),
    $credentials: Object.freeze(credentialsGlobal(ask)),
    $job: Object.freeze(jobGlobal(ask)),
    $schedule: Object.freeze(scheduleGlobal(ask)),
    generateTargetUrl: (options?: unknown) => ask({ of: "target", ...(isRenewal(options) && { renew: true }) }),
    renderData: renderGlobal(rendered),
    console: consoleGlobal(log),
  } satisfies Record<Exclude<ServerGlobal, "fetch">, unknown>;
};
