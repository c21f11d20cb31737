import type { HostMessage, LogLevel, Question } from "@parley/contract";
import { appProcessObject, installProcess } from "./app-process-object.ts";
import { calls } from "./calls.ts";
import { openChannel } from "./channel.ts";
import { clearEnvironment } from "./config.ts";
import { beginCoverage, type ReportCoverage } from "./coverage.ts";
import type { HostLine } from "./client-request.ts";
import { cut, describe } from "./errors.ts";
import { fetchOver } from "./fetch-client.ts";
import { globalsFor } from "./globals.ts";
import { CODE_FILE, loadCode, type Handler } from "./handlers.ts";
import { appModules, removeGlobals } from "./modules.ts";
import { questions } from "./questions.ts";

/** Where the host listens, as it arranged the descriptors of this process. */
const CHANNEL = 4;
/** The host takes no longer message. @units bytes */
const LONGEST_MESSAGE = 1_048_576;

const channel = openChannel(CHANNEL, LONGEST_MESSAGE);
let reportCoverage: ReportCoverage = () => undefined;
const running = calls((message) => {
  // Before the answer: the host may end this process at once when it has that.
  reportCoverage();
  channel.send(message);
}, setImmediate);
const asking = questions(
  (message) => channel.send(message),
  () => running.present(),
);
const log = (level: LogLevel, text: string) => {
  const call = running.present();
  channel.send({ t: "log", ...(call === undefined ? {} : { call }), level, text: cut(text) });
};

clearEnvironment();
const appProcess = appProcessObject({ out: (line) => log("info", line), error: (line) => log("error", line) });
const ask = (question: Question) => running.asked(asking.ask(question));
const line: HostLine = { ask, hold: (pending) => running.asked(pending) };
const requireFor = appModules(appProcess, line);
removeGlobals();
Object.assign(
  globalThis,
  globalsFor(ask, log, (data) => running.rendered(data)),
  { fetch: fetchOver(line) },
);

// An error that nobody caught ends the call that it comes from, not the process: other calls are at work in it.
const uncaught = (thrown: unknown) => {
  if (running.failed(thrown)) return;
  const { message, stack } = describe(thrown);
  log("error", `Uncaught ${stack || message}`);
};
process.on("uncaughtException", uncaught);
process.on("unhandledRejection", uncaught);
// From here on `process` is the app's.
installProcess(appProcess);

type CallMessage = Extract<HostMessage, { readonly t: "call" }>;

let handlers: ReadonlyMap<string, Handler> = new Map();

const load = (code: string, isCounted: boolean) => {
  try {
    if (isCounted) reportCoverage = beginCoverage(CODE_FILE, (message) => channel.send(message));
    const loaded = loadCode(code, requireFor(code));
    handlers = loaded.handlers;
    reportCoverage();
    channel.send({ t: "loaded", handlers: [...handlers.keys()], events: loaded.events });
  } catch (error) {
    channel.send({ t: "broken", error: describe(error) });
  }
};

/** The arguments with what is not recorded: secure parameters, where an admin has agreed to that, and the secure settings of `onSettingsUpdate`. */
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
