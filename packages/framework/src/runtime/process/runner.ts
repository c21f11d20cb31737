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

interface AppRunnerDeps extends Omit<ProcessLinkOptions, "receive"> {
  /** The current app; a new version gets a new process. */
  readonly app: () => Pick<Project, "serverCode" | "serverMap" | "version">;
  /** Measures the coverage of the processes. */
  readonly coverage?: Pick<CoverageMeter, "begin"> | undefined;
}

/** Result of a handler. */
export type CallOutcome =
  | { readonly ok: true; readonly rendered?: Rendered }
  | { readonly ok: false; readonly error: string; readonly stack?: string };

export interface CallRequest extends ProcessCallOptions {
  readonly handler: string;
  readonly args: unknown;
  /** Whether the handler succeeds only by `renderData`. */
  readonly renders: boolean;
}

export interface AppRunner {
  /** Runs a handler in the installation's process, which is reused for later calls. */
  invoke(installation: string, call: CallRequest, answer: AnswerQuestion): Promise<CallOutcome>;
  /** Runs a handler in a separate process. */
  invokeApart(call: CallRequest, answer: AnswerQuestion): Promise<CallOutcome>;
  /** Starts an installation's process in advance. @shape isTrusted: whether its calls will receive secure parameters */
  warm(installation: string, answer: AnswerQuestion, isTrusted?: boolean): void;
  /** Retires the processes of an earlier version. */
  refresh(): void;
  /** Ends an installation's process at once. */
  end(installation: string): Promise<void>;
  /** Resolves when no handler is running, or after the timeout. @units milliseconds */
  drain(ms: number): Promise<void>;
  /** Ends every process at once; the next call starts a new one. */
  close(): Promise<void>;
}

interface RunningProcess {
  readonly version: string;
  /** Whether its calls receive secure parameters. When that changes, the process is ended, because it may remember them. */
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

/** Keeps one process per installation, with the newest version of the app. */
export const createAppRunner = ({ app, ...deps }: AppRunnerDeps): AppRunner => {
  const processes = new Map<string, RunningProcess>();
  const liveProcesses = new Set<AppProcess>();
  const runningCalls = new Set<Promise<CallOutcome>>();

  const startProcess = (answer: AnswerQuestion): AppProcess => {
    const { serverCode, serverMap } = app();
    const counted = deps.coverage?.begin(app());
    const process = startAppProcess({
      ...deps,
      code: serverCode,
      trace: createStackTracer(serverMap),
      answer,
      counted,
    });
    liveProcesses.add(process);
    void process.ended.then(() => liveProcesses.delete(process));
    return process;
  };
  const processFor = (installation: string, answer: AnswerQuestion, isTrusted: boolean): AppProcess => {
    const { version } = app();
    const previous = processes.get(installation);
    if (previous?.version === version && previous.isTrusted === isTrusted && previous.process.isAlive())
      return previous.process;
    previous?.process.retire();
    const process = startProcess(answer);
    processes.set(installation, { version, isTrusted, process });
    return process;
  };

  const work = (process: AppProcess, call: CallRequest): Promise<CallOutcome> => {
    const outcome = outcomeOf(process, call).finally(() => runningCalls.delete(outcome));
    runningCalls.add(outcome);
    return outcome;
  };

  return {
    invoke: (installation, call, answer) => work(processFor(installation, answer, call.secure !== undefined), call),
    async invokeApart(call, answer) {
      const process = startProcess(answer);
      try {
        return await work(process, call);
      } finally {
        process.retire();
      }
    },
    warm: (installation, answer, isTrusted = false) => void processFor(installation, answer, isTrusted),
    refresh() {
      for (const [installation, { version, process }] of processes) {
        if (version === app().version) continue;
        processes.delete(installation);
        process.retire();
      }
    },
    async end(installation) {
      const ending = processes.get(installation);
      processes.delete(installation);
      await ending?.process.kill("the app is uninstalled");
    },
    async drain(ms) {
      await Promise.race([Promise.allSettled([...runningCalls]), setTimeout(ms, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([...liveProcesses].map((process) => process.kill("the host stops")));
    },
  };
};
