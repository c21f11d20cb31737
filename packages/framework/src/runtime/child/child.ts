import type { ChildMessage, HostMessage, Question, LogLevel } from "@parley/contract";
import { appProcessObject, installProcess } from "./app-process-object.ts";
import { createChildCalls, truncate, describeError } from "./calls.ts";
import { openHostChannel } from "./channel.ts";
import { clearEnvironment } from "./config.ts";
import { beginCoverage, type ReportCoverage } from "./coverage.ts";
import type { HostConnection } from "./client-request.ts";
import { fetchOver } from "./fetch-client.ts";
import { globalsFor } from "./globals.ts";
import { CODE_FILE, loadCode, type AppHandler } from "./handlers.ts";
import { appModules, removeGlobals } from "./modules.ts";

type Reply = Extract<HostMessage, { t: "reply" }>;

/** Requests to the host and the promises that wait for their answers. */
export const questions = (send: (message: ChildMessage) => void, present: () => number | undefined) => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>();
  let last = 0;
  return {
    ask: (question: Question) =>
      new Promise<unknown>((resolve, reject) => {
        const id = (last += 1);
        const call = present();
        send({ t: "ask", id, ...(call === undefined ? {} : { call }), question });
        waiting.set(id, { resolve, reject });
      }),
    answer(reply: Reply) {
      const { resolve, reject } = waiting.get(reply.id) ?? {};
      waiting.delete(reply.id);
      if (!("failure" in reply)) return resolve?.(reply.value);
      const { message, ...members } = reply.failure;
      reject?.(Object.assign(new Error(message), members));
    },
  };
};

/** File descriptor of the channel to the host. */
const CHANNEL = 4;
/** Maximum size of a message to the host. @units bytes */
const MESSAGE_BYTES_MAX = 1_048_576;

const channel = openHostChannel(CHANNEL, MESSAGE_BYTES_MAX);
let reportCoverage: ReportCoverage = () => undefined;
const running = createChildCalls((message) => {
  // Sent before the answer: the host may stop this process when the answer has arrived.
  reportCoverage();
  channel.send(message);
}, setImmediate);
const asking = questions(
  (message) => channel.send(message),
  () => running.present(),
);
const log = (level: LogLevel, text: string) => {
  const call = running.present();
  channel.send({ t: "log", ...(call === undefined ? {} : { call }), level, text: truncate(text) });
};

clearEnvironment();
const appProcess = appProcessObject({ out: (line) => log("info", line), error: (line) => log("error", line) });
const ask = (question: Question) => running.asked(asking.ask(question));
const line: HostConnection = { ask, hold: (pending) => running.asked(pending) };
const requireFor = appModules(appProcess, line);
removeGlobals();
Object.assign(
  globalThis,
  globalsFor(ask, log, (data) => running.rendered(data)),
  { fetch: fetchOver(line) },
);

// An uncaught error ends the call that caused it and not the process, which runs other calls.
const uncaught = (thrown: unknown) => {
  if (running.failed(thrown)) return;
  const { message, stack } = describeError(thrown);
  log("error", `Uncaught ${stack || message}`);
};
process.on("uncaughtException", uncaught);
process.on("unhandledRejection", uncaught);
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

const take = (message: HostMessage) => {
  if (message.t === "load") return load(message.code, message.coverage === true);
  if (message.t === "reply") return asking.answer(message);
  const handler = handlers.get(message.handler);
  running.run(message, () => {
    if (!handler) throw new Error(`there is no handler '${message.handler}'`);
    return handler(withSecure(message.args, message));
  });
};

channel.listen(take);
