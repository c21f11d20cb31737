import { setTimeout } from "node:timers/promises";
import type { Rendered } from "@parley/contract";
import type { CoverageMeter } from "../../package/code-coverage/coverage-meter.ts";
import {
  CallFailed,
  startAppProcess,
  type AnswerQuestion,
  type AppProcess,
  type ProcessCallOptions,
} from "./app-process.ts";
import type { Project } from "../../package/model/project.ts";
import type { ProcessLinkOptions } from "./process-link.ts";
import { createStackTracer } from "./stack-trace.ts";

interface AppRunnerDeps extends Omit<ProcessLinkOptions, "take"> {
  /** The app as it is now; a new version gets a new process. */
  readonly app: () => Pick<Project, "serverCode" | "serverMap" | "version">;
  /** Counts what the processes run. */
  readonly coverage?: Pick<CoverageMeter, "begin"> | undefined;
}

/** How a handler ended. */
export type CallOutcome =
  | { readonly ok: true; readonly rendered?: Rendered }
  | { readonly ok: false; readonly error: string; readonly stack?: string };

export interface CallRequest extends ProcessCallOptions {
  readonly handler: string;
  readonly args: unknown;
  /** Whether only `renderData` ends the handler well. */
  readonly renders: boolean;
}

export interface AppRunner {
  /** Runs a handler in the installation's process, which is kept for the next one. */
  invoke(installation: string, call: CallRequest, answer: AnswerQuestion): Promise<CallOutcome>;
  /** Runs a handler in a process of its own. */
  invokeApart(call: CallRequest, answer: AnswerQuestion): Promise<CallOutcome>;
  /** Starts an installation's process before it is needed. @shape isTrusted: whether its calls will be handed secure parameters */
  warm(installation: string, answer: AnswerQuestion, isTrusted?: boolean): void;
  /** Lets the processes of an older version end. */
  refresh(): void;
  /** Ends an installation's process at once. */
  end(installation: string): Promise<void>;
  /** Resolves when no handler is at work, or its time is over. @units milliseconds */
  drain(ms: number): Promise<void>;
  /** Ends every process at once; the next call begins a new one. */
  close(): Promise<void>;
}

interface Kept {
  readonly version: string;
  /** Whether its calls are handed secure parameters: when that is over, so is the process that may remember them. */
  readonly isTrusted: boolean;
  readonly process: AppProcess;
}

const outcomeOf = async (
  process: AppProcess,
  { handler, args, renders, ...options }: CallRequest,
): Promise<CallOutcome> => {
  try {
    const rendered = await process.call(handler, args, renders, options);
    return { ok: true, ...(rendered ? { rendered } : {}) };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { ok: false, error: error.message, ...(error.appStack ? { stack: error.appStack } : {}) };
  }
};

/** Keeps one process for each installation, of the newest version of the app. */
export const createAppRunner = ({ app, ...deps }: AppRunnerDeps): AppRunner => {
  const kept = new Map<string, Kept>();
  const alive = new Set<AppProcess>();
  const working = new Set<Promise<CallOutcome>>();

  const begin = (answer: AnswerQuestion): AppProcess => {
    const { serverCode, serverMap } = app();
    const counted = deps.coverage?.begin(app());
    const process = startAppProcess({
      ...deps,
      code: serverCode,
      trace: createStackTracer(serverMap),
      answer,
      counted,
    });
    alive.add(process);
    void process.ended.then(() => alive.delete(process));
    return process;
  };
  const processFor = (installation: string, answer: AnswerQuestion, isTrusted: boolean): AppProcess => {
    const { version } = app();
    const before = kept.get(installation);
    if (before?.version === version && before.isTrusted === isTrusted && before.process.isAlive())
      return before.process;
    before?.process.retire();
    const process = begin(answer);
    kept.set(installation, { version, isTrusted, process });
    return process;
  };

  const work = (process: AppProcess, call: CallRequest): Promise<CallOutcome> => {
    const outcome = outcomeOf(process, call).finally(() => working.delete(outcome));
    working.add(outcome);
    return outcome;
  };

  return {
    invoke: (installation, call, answer) => work(processFor(installation, answer, call.secure !== undefined), call),
    async invokeApart(call, answer) {
      const process = begin(answer);
      try {
        return await work(process, call);
      } finally {
        process.retire();
      }
    },
    warm: (installation, answer, isTrusted = false) => void processFor(installation, answer, isTrusted),
    refresh() {
      for (const [installation, { version, process }] of kept) {
        if (version === app().version) continue;
        kept.delete(installation);
        process.retire();
      }
    },
    async end(installation) {
      const ending = kept.get(installation);
      kept.delete(installation);
      await ending?.process.kill("the app is uninstalled");
    },
    async drain(ms) {
      await Promise.race([Promise.allSettled([...working]), setTimeout(ms, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([...alive].map((process) => process.kill("the host stops")));
    },
  };
};
