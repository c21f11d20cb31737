import type { Question } from "@parley/contract";
import { builtText } from "../../src/environment/assets.ts";
import { startAppProcess, type HostAnswer, type AppProcess } from "../../src/runtime/process/app-process.ts";
import { createLauncher } from "../../src/runtime/process/process-link.ts";
import { findBoundary, type BoundaryName } from "../../src/sandbox/boundary.ts";
import type { CallRecording } from "../../src/runtime/process/call-recording.ts";
import { defaultHostSettings, type HostSettings } from "../../src/environment/settings.ts";

/** An app process under test, with everything that it sent to the host. */
export interface WatchedProcess extends AppProcess {
  readonly lines: readonly string[];
  readonly questions: readonly Question[];
  /** The recording of the call that made each request, if a call made it. */
  readonly recordings: readonly (CallRecording | undefined)[];
  /** Runs the handler `h`. Returns the JSON that it logged at level `debug`. */
  runHandler(args?: unknown): Promise<unknown>;
}

export interface WatchOptions {
  /** Gives the app's code the result of an escape within its process: Node's own file system, as `rawFs`. */
  readonly isEscaped?: boolean;
  readonly settings?: Partial<HostSettings>;
  readonly answer?: (question: Question) => Promise<HostAnswer>;
}

/**
 * Starts app processes as the host does, with the boundaries of this machine.
 * @shape boundaries: the permitted ones, all by default; isCounted: records code coverage
 */
export async function processFixture(boundaries?: readonly BoundaryName[], isCounted = false) {
  const [program, boundary] = await Promise.all([builtText("child.cjs"), findBoundary(boundaries)]);
  const launch = createLauncher(boundary, isCounted);
  const started: AppProcess[] = [];
  return {
    start(
      code: string,
      { settings, isEscaped = false, answer = () => Promise.resolve({ value: {} }) }: WatchOptions = {},
    ): WatchedProcess {
      const lines: string[] = [];
      const debugLines: string[] = [];
      const questions: Question[] = [];
      const recordings: (CallRecording | undefined)[] = [];
      const process = startAppProcess({
        launch,
        program: isEscaped ? `globalThis.rawFs = require("fs");${program}` : program,
        code,
        trace: (text) => text,
        ...(isCounted && { counted: () => undefined }),
        settings: { ...defaultHostSettings, ...settings },
        log: (level, text) =>
          (level === "debug" ? debugLines : lines).push(level === "debug" ? text : `${level} ${text}`),
        answer: (question, recording) => {
          questions.push(question);
          recordings.push(recording);
          return answer(question);
        },
      });
      started.push(process);
      return {
        ...process,
        lines,
        questions,
        recordings,
        async runHandler(args) {
          await process.call("h", args, false);
          return JSON.parse(debugLines.pop() ?? "null") as unknown;
        },
      };
    },
    close: () => Promise.all(started.map((process) => process.kill("the test ends"))),
  };
}
