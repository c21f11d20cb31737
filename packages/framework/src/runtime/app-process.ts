import type { AppError, ChildMessage, DeclaredEvent, Question, Rendered } from "@parley/contract";
import type { HostSettings } from "../settings.ts";
import type { Trail } from "./trail.ts";
import { openLink, type LinkOptions } from "./link.ts";
import type { Trace } from "./trace.ts";

/** Why a handler did not end well, in words for the log. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  /** Of the app's code, where that failed. */
  readonly appStack: string | undefined;
  constructor({ message, stack }: AppError) {
    super(message);
    this.appStack = stack;
  }
}

/** What a question is answered with. */
export type Answer =
  { readonly value: unknown } | { readonly failure: { readonly message: string } & Readonly<Record<string, unknown>> };

/** Answers a question; the trail is that of the call which asks, as far as one does. */
export type Answering = (question: Question, trail?: Trail) => Promise<Answer>;

export interface AppProcessOptions extends Omit<LinkOptions, "take"> {
  /** Text of the app's code; a process may be started while that is still being made. Without code the process ends. */
  readonly code: string | Promise<string>;
  readonly answer: Answering;
  readonly trace: Trace;
}

/** How one call differs from others. */
export interface CallOptions {
  /** How long it may take, where that isn't as usual. @units milliseconds */
  readonly ms?: number | undefined;
  /** Gets what the call does on its way. */
  readonly trail?: Trail | undefined;
}

/** A process that runs one app for one installation. */
export interface AppProcess {
  /** Names of the functions that the app exports. @errors CallFailed when its code can't be loaded */
  readonly handlers: Promise<readonly string[]>;
  /** Events that the code itself declares, as apps of platform-version 2.0 do. @errors as `handlers` */
  readonly events: Promise<readonly DeclaredEvent[]>;
  /** Resolves with what was rendered. @errors CallFailed */
  call(handler: string, args: unknown, renders: boolean, options?: CallOptions): Promise<Rendered | undefined>;
  readonly isAlive: () => boolean;
  /** Takes no more calls and ends when those under way have ended. */
  retire(): void;
  /** Ends at once, with everything that is under way. */
  kill(reason: string): Promise<void>;
  /** Resolves once nothing of it is left. */
  readonly ended: Promise<string>;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: CallFailed) => void;
  readonly timer: NodeJS.Timeout;
  readonly trail?: Trail | undefined;
}

interface LoadedNames {
  readonly handlers: readonly string[];
  readonly events?: readonly DeclaredEvent[];
}

const tooMany = (most: number): Answer => ({
  failure: { status: 429, message: `At most ${most} requests and $db calls may be under way at once` },
});

/** Starts the app's process; whatever it says is a stranger's word. */
export function startAppProcess({ code, answer, trace, ...options }: AppProcessOptions): AppProcess {
  const { settings } = options;
  const calls = new Map<number, Waiting<Rendered | undefined>>();
  let loading: Waiting<LoadedNames> | undefined;
  let lastCall = 0;
  let questions = 0;
  let retired = false;
  /** Calls that wait for the code to be loaded: they are under way too. */
  let arriving = 0;

  const endIfDone = () => {
    if (retired && calls.size === 0 && arriving === 0) link.end("it is no longer needed");
  };
  const take = (message: ChildMessage): void => {
    if (message.t === "log") return say(message);
    if (message.t === "ask") return void reply(message);
    if (message.t === "done") return done(message.id, message);
    const waiting = loading;
    loading = undefined;
    clearTimeout(waiting?.timer);
    if (message.t === "loaded") waiting?.resolve(message);
    else waiting?.reject(new CallFailed(traced(message.error, trace)));
  };
  const link = openLink({ ...options, take });

  const waitFor = <T>(ms: number, reason: string, keep: (waiting: Waiting<T>) => void, trail?: Trail): Promise<T> =>
    new Promise((resolve, reject) => {
      keep({ resolve, reject, timer: setTimeout(() => link.end(reason), ms), trail });
    });
  const done = (id: number, { error, rendered }: { error?: AppError; rendered?: Rendered }) => {
    // Each call is answered once: what the child says of one that isn't under way counts for nothing.
    const call = calls.get(id);
    calls.delete(id);
    clearTimeout(call?.timer);
    if (error) call?.reject(new CallFailed(traced(error, trace)));
    else call?.resolve(rendered);
    endIfDone();
  };
  /** A call that isn't under way has no trail: the child may say any number. */
  const trailOf = (call: number | undefined) => (call === undefined ? undefined : calls.get(call)?.trail);
  const say = ({ call, level, text }: Extract<ChildMessage, { t: "log" }>) => {
    const traced = trace(text);
    options.log(level, traced);
    trailOf(call)?.line(level, traced);
  };
  const reply = async ({ id, call, question }: Extract<ChildMessage, { t: "ask" }>) => {
    questions += 1;
    const answered =
      questions > settings.questions ? tooMany(settings.questions) : await answer(question, trailOf(call));
    questions -= 1;
    link.send({ t: "reply", id, ...answered });
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
    const names = waitFor<LoadedNames>(settings.loadMs, loadReason(settings), (waiting) => (loading = waiting));
    link.send({ t: "load", code: text });
    return names;
  };
  const loaded = typeof code === "string" ? load(code) : code.then(load);
  const handlers = loaded.then((names) => names.handlers);
  const events = loaded.then((names) => names.events ?? []);
  // Whoever calls a handler hears of it; nobody else has to.
  handlers.catch(() => link.end("its code can't be loaded"));
  events.catch(() => undefined);

  return {
    handlers,
    events,
    async call(handler, args, renders, { ms = settings.callMs, trail } = {}) {
      arriving += 1;
      try {
        await handlers;
      } finally {
        arriving -= 1;
      }
      if (!link.isAlive()) throw new CallFailed({ message: "the app's process has ended" });
      const id = (lastCall += 1);
      const reason = `${handler} took more than ${ms / 1000} s`;
      const outcome = waitFor<Rendered | undefined>(ms, reason, (waiting) => calls.set(id, waiting), trail);
      link.send({ t: "call", id, handler, args, renders });
      return outcome;
    },
    isAlive: () => link.isAlive() && !retired,
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

const traced = ({ message, stack }: AppError, trace: Trace): AppError => ({
  message,
  ...(stack === undefined ? {} : { stack: trace(stack) }),
});
const loadReason = ({ loadMs }: HostSettings) => `its code took more than ${loadMs / 1000} s to load`;
