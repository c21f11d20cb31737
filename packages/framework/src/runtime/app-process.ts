import type { AppError, ChildMessage, Question, Rendered } from "@parley/contract";
import type { HostSettings } from "../settings.ts";
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

export interface AppProcessOptions extends Omit<LinkOptions, "take"> {
  /** Text of the app's code. */
  readonly code: string;
  readonly answer: (question: Question) => Promise<Answer>;
  readonly trace: Trace;
}

/** A process that runs one app for one installation. */
export interface AppProcess {
  /** Names of the functions that the app exports. @errors CallFailed when its code can't be loaded */
  readonly handlers: Promise<readonly string[]>;
  /** Resolves with what was rendered. @errors CallFailed */
  call(handler: string, args: unknown, renders: boolean): Promise<Rendered | undefined>;
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
}

const tooMany = (most: number): Answer => ({
  failure: { status: 429, message: `At most ${most} requests and $db calls may be under way at once` },
});

/** Starts the app's process; whatever it says is a stranger's word. */
export function startAppProcess({ code, answer, trace, ...options }: AppProcessOptions): AppProcess {
  const { settings } = options;
  const calls = new Map<number, Waiting<Rendered | undefined>>();
  let loading: Waiting<readonly string[]> | undefined;
  let lastCall = 0;
  let questions = 0;
  let retired = false;

  const take = (message: ChildMessage): void => {
    if (message.t === "log") return options.log(message.level, trace(message.text));
    if (message.t === "ask") return void reply(message.id, message.question);
    if (message.t === "done") return done(message.id, message);
    const waiting = loading;
    loading = undefined;
    clearTimeout(waiting?.timer);
    if (message.t === "loaded") waiting?.resolve(message.handlers);
    else waiting?.reject(new CallFailed(traced(message.error, trace)));
  };
  const link = openLink({ ...options, take });

  const waitFor = <T>(ms: number, reason: string, keep: (waiting: Waiting<T>) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      keep({ resolve, reject, timer: setTimeout(() => link.end(reason), ms) });
    });
  const done = (id: number, { error, rendered }: { error?: AppError; rendered?: Rendered }) => {
    // Each call is answered once: what the child says of one that isn't under way counts for nothing.
    const call = calls.get(id);
    calls.delete(id);
    clearTimeout(call?.timer);
    if (error) call?.reject(new CallFailed(traced(error, trace)));
    else call?.resolve(rendered);
    if (retired && calls.size === 0) link.end("it is no longer needed");
  };
  const reply = async (id: number, question: Question) => {
    questions += 1;
    const answered = questions > settings.questions ? tooMany(settings.questions) : await answer(question);
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

  const handlers = waitFor<readonly string[]>(settings.loadMs, loadReason(settings), (waiting) => (loading = waiting));
  // Whoever calls a handler hears of it; nobody else has to.
  handlers.catch(() => link.end("its code can't be loaded"));
  link.send({ t: "load", code });

  return {
    handlers,
    async call(handler, args, renders) {
      await handlers;
      if (!link.isAlive()) throw new CallFailed({ message: "the app's process has ended" });
      const id = (lastCall += 1);
      const outcome = waitFor<Rendered | undefined>(settings.callMs, callReason(handler, settings), (waiting) =>
        calls.set(id, waiting),
      );
      link.send({ t: "call", id, handler, args, renders });
      return outcome;
    },
    isAlive: () => link.isAlive() && !retired,
    retire() {
      retired = true;
      if (calls.size === 0) link.end("it is no longer needed");
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
const callReason = (handler: string, { callMs }: HostSettings) => `${handler} took more than ${callMs / 1000} s`;
