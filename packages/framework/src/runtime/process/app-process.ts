import type { AppError, ChildMessage, DeclaredEvent, Question, Rendered, RunFunction } from "@parley/contract";
import type { HostSettings } from "../../environment/settings.ts";
import { createInstallationBudget, type AnswerShare, type InstallationBudget } from "./installation-budget.ts";
import type { RequestBreaker } from "./request-breaker.ts";
import type { CallRecording } from "./call-recording.ts";
import { openProcessLink, type ProcessLinkOptions } from "./process-link.ts";
import type { AppLog } from "./log.ts";
import { createRedactor } from "../../model/redaction.ts";
import type { TranslateStack } from "./stack-trace.ts";

/** A handler failed. The message is the reason for the log. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  /** Stack of the app's code, if the code failed. */
  readonly appStack: string | undefined;
  constructor({ message, stack }: AppError) {
    super(message);
    this.appStack = stack;
  }
}

/** Answer to a question of the app's process. */
export type HostAnswer =
  | { readonly value: unknown }
  | { readonly failure: { readonly message: string } & Readonly<Record<string, unknown>> };

/** Limits of the installation for the requests of a question: a large answer takes its bytes before it is read. */
export interface QuestionLimits extends Pick<AnswerShare, "take"> {
  readonly breaker: RequestBreaker;
}

/** Answers a question of the app's process; the recording belongs to the asking call, or is undefined. */
export type AnswerQuestion = (
  question: Question,
  recording?: CallRecording,
  limits?: QuestionLimits,
) => Promise<HostAnswer>;

interface AppProcessOptions extends Omit<ProcessLinkOptions, "receive" | "messages"> {
  /** Limits of the installation; limits of this process only when absent. */
  readonly budget?: InstallationBudget;
  /** Called whenever work begins or ends. */
  readonly changed?: (() => void) | undefined;
  /** Text of the app's code. The process may be started before the code is ready; if there will be no code, it ends. */
  readonly code: string | Promise<string>;
  readonly answer: AnswerQuestion;
  readonly trace: TranslateStack;
  /** Receives the functions that have run. Coverage is measured only if this is present. */
  readonly counted?: ((functions: readonly RunFunction[]) => void) | undefined;
}

/** Options of a single call. */
export interface ProcessCallOptions {
  /** Time limit, if not the default. @units milliseconds */
  readonly ms?: number | undefined;
  /** Records the call. */
  readonly recording?: CallRecording | undefined;
  /** Secure parameters that the handler gets in addition to its arguments. They are redacted from all later output of the process. */
  readonly secure?: Readonly<Record<string, string>> | undefined;
  /** Secure app settings that the handler gets as members of its arguments; redacted as `secure` is. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** A process that runs one app for one installation. */
export interface AppProcess {
  /** Names of the functions that the app exports. @errors CallFailed if its code can't be loaded */
  readonly handlers: Promise<readonly string[]>;
  /** Events that the code itself declares, as apps of platform-version 2.0 do. @errors as `handlers` */
  readonly events: Promise<readonly DeclaredEvent[]>;
  /** Resolves with the rendered value. @errors CallFailed */
  call(handler: string, args: unknown, renders: boolean, options?: ProcessCallOptions): Promise<Rendered | undefined>;
  readonly isAlive: () => boolean;
  /** Whether the code is loaded, no call is running and no question is pending. */
  readonly isIdle: () => boolean;
  /** Process id of the launcher; undefined if nothing could be started. */
  readonly pid: number | undefined;
  /** Accepts no more calls and ends after the running calls. */
  retire(): void;
  /** Ends at once, with all running calls. */
  kill(reason: string): Promise<void>;
  /** Resolves when no process of it is left. */
  readonly ended: Promise<string>;
}

interface Pending<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: CallFailed) => void;
  readonly timer: NodeJS.Timeout;
  readonly recording?: CallRecording | undefined;
}

interface LoadedNames {
  readonly handlers: readonly string[];
  readonly events?: readonly DeclaredEvent[];
}

const tooManyQuestions = (max: number): HostAnswer => ({
  failure: { status: 429, message: `At most ${max} requests and $db calls may be under way at once` },
});

/** Whether the question stores data, which is stored without redaction. */
const isStoring = ({ of }: Question): boolean =>
  of === "job.status" || of === "db.set" || of === "db.update" || of === "schedule" || of === "entity";
const secureValueRefused: HostAnswer = {
  failure: {
    status: 400,
    message:
      "A secure installation parameter or app setting can't be stored by $db or $schedule: it would be kept unencrypted",
  },
};

/** Starts the app's process. All its messages are untrusted. */
export function startAppProcess({ code, answer, trace, ...options }: AppProcessOptions): AppProcess {
  const { settings, changed = () => undefined } = options;
  const budget = options.budget ?? createInstallationBudget(settings);
  const { messages } = budget;
  const redactor = createRedactor();
  /** Text of the app's code, redacted and with the positions of its own files. */
  const redactedTrace = (text: string): string => redactor.text(trace(text));
  const redactedError = ({ message, stack }: AppError): AppError => ({
    message: redactor.text(message),
    ...(stack === undefined ? {} : { stack: redactedTrace(stack) }),
  });
  const log: AppLog = (level, text) => options.log(level, redactor.text(text));
  const calls = new Map<number, Pending<Rendered | undefined>>();
  let loading: Pending<LoadedNames> | undefined;
  let lastCall = 0;
  let questions = 0;
  let retired = false;
  let isLoaded = false;
  /** Number of calls that wait for the code to be loaded; they count as running. */
  let waitingForCode = 0;

  /** A recording whose requests are redacted; its lines arrive redacted. */
  const redactedRecording = (recording: CallRecording): CallRecording => ({
    line: (level, text) => recording.line(level, text),
    omit: (lines) => recording.omit(lines),
    request: (sent) => recording.request(redactor.value(sent) as typeof sent),
    ...(recording.job !== undefined && { job: recording.job }),
    ...(recording.trace && { trace: recording.trace }),
  });
  const endIfDone = () => {
    if (retired && calls.size === 0 && waitingForCode === 0) link.end("it is no longer needed");
  };
  const receive = (message: ChildMessage): void => {
    if (message.t === "log") return handleLog(message);
    if (message.t === "ask") return void handleQuestion(message);
    if (message.t === "omitted") return handleOmitted(message);
    if (message.t === "done") return handleDone(message.id, message);
    if (message.t === "coverage") {
      if (!options.counted) messages.countExcess();
      return options.counted?.(message.functions);
    }
    const pending = loading;
    if (!pending) messages.countExcess();
    loading = undefined;
    clearTimeout(pending?.timer);
    if (message.t === "loaded") pending?.resolve(message);
    else pending?.reject(new CallFailed(redactedError(message.error)));
  };
  const link = openProcessLink({ ...options, log, receive, messages });

  const waitFor = <T>(
    ms: number,
    reason: string,
    register: (pending: Pending<T>) => void,
    recording?: CallRecording,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      register({ resolve, reject, timer: setTimeout(() => link.end(reason), ms), recording });
    });
  const handleDone = (id: number, { error, rendered }: { error?: AppError; rendered?: Rendered }) => {
    // Each call is answered once: messages of the child about a call that isn't running are ignored.
    const call = calls.get(id);
    if (!call) messages.countExcess();
    calls.delete(id);
    clearTimeout(call?.timer);
    if (error) call?.reject(new CallFailed(redactedError(error)));
    else call?.resolve(redactor.value(rendered) as Rendered | undefined);
    endIfDone();
    changed();
  };
  /** A call that isn't running has no recording: the child may send any number. */
  const recordingOf = (call: number | undefined) => (call === undefined ? undefined : calls.get(call)?.recording);
  const handleLog = ({ call, level, text }: Extract<ChildMessage, { t: "log" }>) => {
    const redacted = redactedTrace(text);
    options.log(level, redacted);
    recordingOf(call)?.line(level, redacted);
  };
  const handleOmitted = ({ call, lines }: Extract<ChildMessage, { t: "omitted" }>) => {
    messages.countExcess();
    options.log("warn", `${lines} more lines were dropped`);
    recordingOf(call)?.omit(lines);
  };
  const handleQuestion = async ({ id, call, question }: Extract<ChildMessage, { t: "ask" }>) => {
    if (questions >= settings.maxConcurrentCalls) {
      messages.countExcess();
      return void link.send({ t: "reply", id, ...tooManyQuestions(settings.maxConcurrentCalls) });
    }
    questions += 1;
    const share = budget.openShare();
    const response =
      isStoring(question) && redactor.isIn(question)
        ? secureValueRefused
        : await answer(question, recordingOf(call), {
            take: (bytes) => share.take(bytes),
            breaker: budget.breaker,
          });
    // A large answer stays in memory until the process has read it.
    await link.send({ t: "reply", id, ...response });
    share.release(!("value" in response));
    questions -= 1;
    changed();
  };

  void link.ended.then((reason) => {
    const error = new CallFailed({ message: `the app's process was ended: ${reason}` });
    for (const { reject, timer } of [...calls.values(), ...(loading ? [loading] : [])]) {
      clearTimeout(timer);
      reject(error);
    }
    calls.clear();
  });

  const load = (text: string): Promise<LoadedNames> => {
    if (!link.isAlive()) throw new CallFailed({ message: "the app's process has ended" });
    const names = waitFor<LoadedNames>(settings.loadTimeoutMs, loadReason(settings), (pending) => (loading = pending));
    void link.send({
      t: "load",
      code: text,
      logLinesPerSecond: settings.maxLogLinesPerSecond,
      ...(options.counted && { coverage: true }),
    });
    return names;
  };
  const loaded = typeof code === "string" ? load(code) : code.then(load);
  const handlers = loaded.then((names) => names.handlers);
  const events = loaded.then((names) => names.events ?? []);
  // The caller of a handler gets the error; it must not become an unhandled rejection.
  handlers.then(
    () => {
      isLoaded = true;
      changed();
    },
    () => link.end("its code can't be loaded"),
  );
  events.catch(() => undefined);

  return {
    handlers,
    events,
    async call(handler, args, renders, { ms = settings.callTimeoutMs, recording, secure, settings: appSettings } = {}) {
      waitingForCode += 1;
      changed();
      try {
        await handlers;
      } finally {
        waitingForCode -= 1;
      }
      if (!link.isAlive()) throw new CallFailed({ message: "the app's process has ended" });
      const id = (lastCall += 1);
      const reason = `${handler} took more than ${ms / 1000} s`;
      const outcome = waitFor<Rendered | undefined>(
        ms,
        reason,
        (pending) => calls.set(id, pending),
        recording && redactedRecording(recording),
      );
      redactor.add(Object.values({ ...secure, ...appSettings }));
      void link.send({
        t: "call",
        id,
        handler,
        args,
        renders,
        ...(secure && { secure }),
        ...(appSettings && { settings: appSettings }),
      });
      return outcome;
    },
    isAlive: () => link.isAlive() && !retired,
    isIdle: () => isLoaded && calls.size === 0 && waitingForCode === 0 && questions === 0,
    pid: link.pid,
    retire() {
      retired = true;
      endIfDone();
    },
    async kill(reason) {
      link.end(reason);
      await link.ended;
    },
    ended: link.ended,
  };
}

const loadReason = ({ loadTimeoutMs }: HostSettings) => `its code took more than ${loadTimeoutMs / 1000} s to load`;
