import type { ChildMessage, HostMessage, Question, AppLogLevel, AppError, Rendered } from "@parley/contract";
import { appProcessObject, installProcess } from "./app-process-object.ts";
import { openHostChannel } from "./channel.ts";
import { clearEnvironment } from "./config.ts";
import { beginCoverage, type ReportCoverage } from "./coverage.ts";
import type { HostConnection } from "./client-request.ts";
import { createLogLimit } from "./log-limit.ts";
import { fetchOver } from "./fetch-client.ts";
import { globalsFor } from "./globals.ts";
import { setHandlerClock } from "./ports.ts";
import { CODE_FILE, loadCode, type AppHandler, appModules, removeGlobals } from "./app-code.ts";
import { lockDeserialization, restrictRealProcess } from "./shared-objects.ts";
import { inspect } from "node:util";
import { AsyncLocalStorage } from "node:async_hooks";

/** Maximum length of a text for the host, as its schema requires. */
const TEXT_LENGTH_MAX = 8_000;

const truncate = (text: string): string =>
  text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)} …` : text;

/** The message of an error without its stack. */
const errorText = (thrown: unknown): string => truncate(thrown instanceof Error ? thrown.message : String(thrown));

/** Converts any thrown value to text: rejections of the framework's methods are objects and not always errors. */
const describeError = (thrown: unknown): AppError => {
  try {
    if (thrown instanceof Error)
      return { message: truncate(`${thrown.name}: ${thrown.message}`), stack: truncate(thrown.stack ?? "") };
    return {
      message: truncate(typeof thrown === "string" ? thrown : inspect(thrown, { depth: 3, breakLength: Infinity })),
    };
  } catch {
    return { message: "an error that can't be shown" };
  }
};

/** A call of a handler in progress. */
interface Call {
  readonly id: number;
  /** Whether only `renderData` ends it successfully. */
  readonly renders: boolean;
  /** Number of pending requests to the host. */
  pendingQuestions: number;
  /** Whether the handler has returned and the returned promise has settled. */
  returned: boolean;
  isEnded: boolean;
}

interface ChildCalls {
  run(start: { id: number; renders: boolean }, handler: () => unknown): void;
  /** Keeps the present call open until the answer has arrived. */
  holdUntil<T>(answer: Promise<T>): Promise<T>;
  rendered(data: Rendered): void;
  /** -> id of the call to which the running code belongs */
  currentCallId(): number | undefined;
  /** -> whether the error belonged to a call */
  fail(thrown: unknown): boolean;
}

/** Time in which a handler that must call `renderData` can call it after it has returned. @units milliseconds */
const RENDER_DATA_TIMEOUT_MS = 500;

/**
 * Calls in progress. Many existing apps return nothing and continue in promises, so a call ends when the handler has returned and each of
 * its requests is answered.
 * @assumed `renderData()` ends the call of any handler at once, even if the handler need not call it. Pending requests continue, and their
 * answers are ignored.
 */
const createChildCalls = (send: (message: ChildMessage) => void, schedule: (then: () => void) => void): ChildCalls => {
  const callStore = new AsyncLocalStorage<Call>();

  const end = (call: Call, outcome: { error?: AppError; rendered?: Rendered }) => {
    if (call.isEnded) return;
    call.isEnded = true;
    try {
      send({ t: "done", id: call.id, ...outcome });
    } catch (error) {
      // The rendered data is too large, or is not JSON.
      send({
        t: "done",
        id: call.id,
        error: { message: `what it gave to renderData() can't be sent: ${errorText(error)}` },
      });
    }
  };
  const settle = (call: Call) => {
    if (call.isEnded || !call.returned || call.pendingQuestions > 0) return;
    if (!call.renders) return end(call, {});
    setTimeout(() => {
      if (call.pendingQuestions === 0) end(call, { error: { message: "it ended without a call of renderData()" } });
    }, RENDER_DATA_TIMEOUT_MS);
  };
  // The app may react to an answer with another request: it gets a turn before the call is checked.
  const settleLater = (call: Call) => schedule(() => settle(call));

  return {
    run({ id, renders }, handler) {
      const call: Call = { id, renders, pendingQuestions: 0, returned: false, isEnded: false };
      void callStore.run(call, async () => {
        try {
          await handler();
          call.returned = true;
          settleLater(call);
        } catch (error) {
          end(call, { error: describeError(error) });
        }
      });
    },
    async holdUntil(answer) {
      const call = callStore.getStore();
      if (!call) return answer;
      call.pendingQuestions += 1;
      try {
        return await answer;
      } finally {
        call.pendingQuestions -= 1;
        settleLater(call);
      }
    },
    rendered(data) {
      const call = callStore.getStore();
      if (call) end(call, { rendered: data });
    },
    currentCallId() {
      const call = callStore.getStore();
      return call?.isEnded === false ? call.id : undefined;
    },
    fail(thrown) {
      const call = callStore.getStore();
      if (!call || call.isEnded) return false;
      end(call, { error: describeError(thrown) });
      return true;
    },
  };
};

type Reply = Extract<HostMessage, { t: "reply" }>;

/** Requests to the host and the promises that wait for their answers. */
const createHostQuestions = (send: (message: ChildMessage) => void, currentCallId: () => number | undefined) => {
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>();
  let lastId = 0;
  return {
    ask: (question: Question) =>
      new Promise<unknown>((resolve, reject) => {
        const id = (lastId += 1);
        const call = currentCallId();
        send({ t: "ask", id, ...(call === undefined ? {} : { call }), question });
        pending.set(id, { resolve, reject });
      }),
    answer(reply: Reply) {
      const { resolve, reject } = pending.get(reply.id) ?? {};
      pending.delete(reply.id);
      if (!("failure" in reply)) return resolve?.(reply.value);
      const { message, ...members } = reply.failure;
      reject?.(Object.assign(new Error(message), members));
    },
  };
};

/** File descriptor of the channel to the host. */
const CHANNEL_FD = 4;

/** Maximum size of a message to the host. @units bytes */
const MESSAGE_BYTES_MAX = 1_048_576;

const channel = openHostChannel(CHANNEL_FD, MESSAGE_BYTES_MAX);
let reportCoverage: ReportCoverage = () => undefined;

const calls = createChildCalls((message) => {
  // Sent before the answer: the host may stop this process when the answer has arrived.
  reportCoverage();
  if (message.t === "done") logLimit.report(message.id);
  channel.send(message);
}, setImmediate);

const hostQuestions = createHostQuestions(
  (message) => channel.send(message),
  () => calls.currentCallId(),
);

const logLimit = createLogLimit((call, lines) => channel.send({ t: "omitted", ...(call > 0 && { call }), lines }));

const log = (level: AppLogLevel, text: string | (() => string)) => {
  const call = calls.currentCallId();
  // The text of a dropped line is not even built.
  if (!logLimit.admit(call ?? 0)) return;
  const line = truncate(typeof text === "string" ? text : text());
  channel.send({ t: "log", ...(call === undefined ? {} : { call }), level, text: line });
};

clearEnvironment();

const appProcess = appProcessObject({ out: (line) => log("info", line), error: (line) => log("error", line) });
const ask = (question: Question) => calls.holdUntil(hostQuestions.ask(question));
const connection: HostConnection = { ask, hold: (pending) => calls.holdUntil(pending) };
const requireFor = appModules(appProcess, connection);
removeGlobals();
Object.assign(
  globalThis,
  globalsFor(ask, log, (data) => calls.rendered(data)),
  { fetch: fetchOver(connection) },
);

// An uncaught error ends the call that caused it and not the process, which runs other calls.
const uncaught = (thrown: unknown) => {
  if (calls.fail(thrown)) return;
  const { message, stack } = describeError(thrown);
  log("error", `Uncaught ${stack || message}`);
};
process.on("uncaughtException", uncaught);
process.on("unhandledRejection", uncaught);
// The stream from which Node has read this program, whose methods Node calls until it is closed.
const { stdin } = process;
lockDeserialization();
restrictRealProcess();
// From here on, `process` is the app's object.
installProcess(appProcess);

type CallMessage = Extract<HostMessage, { readonly t: "call" }>;

let handlers: ReadonlyMap<string, AppHandler> = new Map();

const load = (code: string, isCounted: boolean) => {
  try {
    if (isCounted) reportCoverage = beginCoverage(CODE_FILE, (message) => channel.send(message));
    const loaded = loadCode(code, requireFor(code));
    handlers = loaded.handlers;
    reportCoverage();
    channel.send({ t: "loaded", handlers: [...handlers.keys()], events: loaded.events });
  } catch (error) {
    channel.send({ t: "broken", error: describeError(error) });
  }
};

/** The arguments with the values that are not recorded: secure parameters, if an admin has consented, and the secure settings of `onSettingsUpdate`. */
const withSecure = (args: unknown, { secure, settings }: Pick<CallMessage, "secure" | "settings">): unknown => {
  if ((!secure && !settings) || typeof args !== "object" || args === null) return args;
  const { iparams } = args as { readonly iparams?: object };
  return { ...args, ...(secure && { iparams: { ...iparams, ...secure } }), ...settings };
};

const receive = (message: HostMessage) => {
  setHandlerClock(message.clock);
  if (message.t === "load") {
    logLimit.set(message.logLinesPerSecond);
    return load(message.code, message.coverage === true);
  }
  if (message.t === "reply") return hostQuestions.answer(message);
  const handler = handlers.get(message.handler);
  calls.run(message, () => {
    if (!handler) throw new Error(`there is no handler '${message.handler}'`);
    return handler(withSecure(message.args, message));
  });
};

stdin.once("close", () => channel.listen(receive));
