import { logText } from "@parley/telemetry";
import type { Question } from "@parley/contract";
import { builtText } from "../../src/environment/assets.ts";
import { defaultHostSettings, type HostSettings } from "../../src/environment/settings.ts";
import type { AnswerQuestion } from "../../src/runtime/process/app-process.ts";
import type { CallRecording } from "../../src/runtime/process/call-recording.ts";
import { createLauncher, type LaunchProgram } from "../../src/runtime/process/process-link.ts";
import { createProcessPool, type ProcessPoolOptions } from "../../src/runtime/process/process-pool.ts";
import { createAppRunner, type CallOutcome } from "../../src/runtime/process/runner.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";

export interface PoolFixtureOptions extends Pick<ProcessPoolOptions, "reserveSize" | "startDurationMaxMs"> {
  readonly settings?: Partial<HostSettings>;
  /** Gives apps' code Node's own file system, as an escape within the process would. */
  readonly isEscaped?: boolean;
  /** Called with the process id of each launcher. */
  readonly onLaunch?: (pid: number) => void;
}

interface AppOptions {
  readonly answer?: AnswerQuestion;
  readonly onLine?: (line: string) => void;
}

/** A pool of real processes in the boundary of this machine, and runners of apps that share it. */
export async function poolFixture({
  settings: given = {},
  reserveSize = 0,
  isEscaped = false,
  onLaunch = () => undefined,
  ...more
}: PoolFixtureOptions) {
  const [built, boundary] = await Promise.all([builtText("child.cjs"), findBoundary()]);
  const settings = { ...defaultHostSettings, ...given };
  const launchInBoundary = createLauncher(boundary);
  /** Process ids of the launchers, in the order of their starts. */
  const launched: number[] = [];
  /** Process ids of the launchers whose end Node has noticed. */
  const ended = new Set<number>();
  const launch: LaunchProgram = (script, limits) => {
    const child = launchInBoundary(script, limits);
    const pid = child.pid ?? 0;
    launched.push(pid);
    onLaunch(pid);
    child.once("exit", () => ended.add(pid));
    return child;
  };
  const program = isEscaped ? `globalThis.rawFs = require("fs");${built}` : built;
  const lines: string[] = [];
  const processPool = createProcessPool({
    launch,
    program,
    settings,
    log: (...line) => void lines.push(logText(...line)),
    reserveSize,
    ...more,
  });
  return {
    pool: processPool,
    launched,
    ended,
    /** Lines that the pool wrote to the platform's log. */
    lines,
    /** Creates the runner of an app. Its calls succeed when the handler has returned. */
    app: (code: string, { answer = () => Promise.resolve({ value: {} }), onLine }: AppOptions = {}) => {
      let present = { serverCode: code, serverMap: undefined, version: "1" };
      const log = (_level: string, text: string) => onLine?.(text);
      const runner = createAppRunner({ launch, program, settings, log, processPool, app: () => present });
      return {
        runner,
        call: (
          installation: string,
          args: unknown = {},
          options: { readonly ms?: number; readonly recording?: CallRecording } = {},
        ): Promise<CallOutcome> =>
          runner.invoke(installation, { handler: "h", args, renders: false, ...options }, answer),
        /** Calls the handler and returns what it gives to `renderData`. */
        async rendered(installation: string, args: unknown = {}): Promise<unknown> {
          const outcome = await runner.invoke(installation, { handler: "h", args, renders: true }, answer);
          if (!outcome.ok) throw new Error(outcome.error);
          return outcome.rendered?.data;
        },
        update(next: string) {
          present = { serverCode: next, serverMap: undefined, version: `${Number(present.version) + 1}` };
          runner.refresh();
        },
      };
    },
  };
}
export type PoolFixture = Awaited<ReturnType<typeof poolFixture>>;

/** An answer to questions that is given when the test says so. */
export const heldAnswers = () => {
  const waiting: (() => void)[] = [];
  const asked: Question[] = [];
  const answer: AnswerQuestion = async (question) => {
    asked.push(question);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { value: {} };
  };
  return {
    answer,
    asked,
    release() {
      for (const go of waiting.splice(0)) go();
    },
  };
};
