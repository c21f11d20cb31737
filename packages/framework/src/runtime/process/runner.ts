import { setTimeout } from "node:timers/promises";
import type { Rendered } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { CoverageMeter } from "../../package/code-coverage/coverage-meter.ts";
import { CallFailed, startAppProcess, type AnswerQuestion, type ProcessCallOptions } from "./app-process.ts";
import type { Project } from "../../model/project.ts";
import type { ProcessLinkOptions } from "./process-link.ts";
import type { PooledProcess } from "./pooled-process.ts";
import { createProcessPool, type ProcessPool } from "./process-pool.ts";
import { createStackTracer } from "./stack-trace.ts";

interface AppRunnerDeps extends Omit<ProcessLinkOptions, "receive" | "messages"> {
  /** The processes of all apps of this process of the platform. When absent, the runner has a pool of its own, without a reserve. */
  readonly processPool?: ProcessPool | undefined;
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
  /** Runs a handler in a separate process. @shape installation: whose limits apply to it */
  invokeApart(installation: string, call: CallRequest, answer: AnswerQuestion): Promise<CallOutcome>;
  /** Starts an installation's process in advance. @shape isTrusted: whether its calls will receive secure parameters */
  warm(installation: string, answer: AnswerQuestion, isTrusted?: boolean): void;
  /** Retires the processes of an earlier version. */
  refresh(): void;
  /** Ends an installation's process at once. */
  end(installation: string): Promise<void>;
  /** Resolves when no handler is running, or after the timeout. @units milliseconds */
  drain(ms: number): Promise<void>;
  /** Ends every process at once; the next call starts a new process. */
  close(): Promise<void>;
}

interface RunningProcess {
  readonly version: string;
  /** Whether its calls receive secure parameters. When that changes, the process is ended, because it may remember them. */
  readonly isTrusted: boolean;
  readonly process: PooledProcess;
}

const outcomeOf = async (
  process: PooledProcess,
  { handler, args, renders, ...options }: CallRequest & { readonly ms: number },
): Promise<CallOutcome> => {
  try {
    const rendered = await process.call(handler, args, renders, options);
    return { ok: true, ...(rendered ? { rendered } : {}) };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { ok: false, error: error.message, ...(error.appStack ? { stack: error.appStack } : {}) };
  }
};

/** Uses one process per installation, with the newest version of the app. The pool starts it with a call and ends it when it has no work. */
export const createAppRunner = ({ app, ...deps }: AppRunnerDeps): AppRunner => {
  const { settings } = deps;
  const writeLine: Log = (line, { level = "info" } = {}) => deps.log(level, line);
  const pool = deps.processPool ?? createProcessPool({ ...deps, log: writeLine, reserveSize: 0 });
  const processes = new Map<string, RunningProcess>();
  const openProcesses = new Set<PooledProcess>();
  const runningCalls = new Set<Promise<CallOutcome>>();

  const openProcess = (installation: string, answer: AnswerQuestion): PooledProcess => {
    const process = pool.open(
      installation,
      (resources) => {
        const { serverCode, serverMap } = app();
        return startAppProcess({
          ...deps,
          ...resources,
          code: serverCode,
          trace: createStackTracer(serverMap),
          answer,
          counted: deps.coverage?.begin(app()),
        });
      },
      () => {
        openProcesses.delete(process);
        if (processes.get(installation)?.process === process) processes.delete(installation);
      },
    );
    openProcesses.add(process);
    return process;
  };
  const processFor = (installation: string, answer: AnswerQuestion, isTrusted: boolean): PooledProcess => {
    const { version } = app();
    const previous = processes.get(installation);
    if (previous?.version === version && previous.isTrusted === isTrusted && previous.process.isUsable())
      return previous.process;
    previous?.process.retire();
    const process = openProcess(installation, answer);
    processes.set(installation, { version, isTrusted, process });
    return process;
  };

  const work = (process: PooledProcess, call: CallRequest): Promise<CallOutcome> => {
    const { ms = settings.callTimeoutMs } = call;
    const outcome = outcomeOf(process, { ...call, ms }).finally(() => runningCalls.delete(outcome));
    runningCalls.add(outcome);
    return outcome;
  };

  return {
    invoke: (installation, call, answer) => work(processFor(installation, answer, call.secure !== undefined), call),
    async invokeApart(installation, call, answer) {
      const process = openProcess(installation, answer);
      try {
        return await work(process, call);
      } finally {
        process.retire();
      }
    },
    warm: (installation, answer, isTrusted = false) => processFor(installation, answer, isTrusted).warm(),
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
      await ending?.process.end("the app is uninstalled");
    },
    async drain(ms) {
      await Promise.race([Promise.allSettled([...runningCalls]), setTimeout(ms, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([...openProcesses].map((process) => process.end("the host stops")));
    },
  };
};
