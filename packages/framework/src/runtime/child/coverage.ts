import type { Session } from "node:inspector";
import Module from "node:module";
import type { ChildMessage, RunFunction } from "@parley/contract";

interface Internals {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

interface Inspector {
  readonly Session: new () => Session;
}

interface ScriptReport {
  readonly url: string;
  readonly functions: readonly RunFunction[];
}

/** Reports what the app's code has run since the report before. */
export type ReportCoverage = () => void;

/** Of one message: a large bundle has many functions, and the host takes no longer message than it takes of any other kind. */
const FUNCTIONS_A_MESSAGE = 1_000;

const load = (Module as unknown as Internals)._load.bind(Module);

/**
 * Begins to count what runs. The session could evaluate code with all of Node's modules, so that nothing of the app's may come by it: its own
 * `emit` hides that of the prototype which it shares with the app's emitters.
 * @shape file: as the app's code is named
 * @errors Error where this Node doesn't let the process look into itself
 */
export const beginCoverage = (file: string, send: (message: ChildMessage) => void): ReportCoverage => {
  const inspector = load("inspector", null, false) as Inspector;
  const session = new inspector.Session();
  Object.defineProperty(session, "emit", { value: () => false });
  session.connect();
  const post = session.post.bind(session) as (
    method: string,
    params: object,
    done: (error: Error | null, result: unknown) => void,
  ) => void;
  const ignore = () => undefined;
  post("Profiler.enable", {}, ignore);
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: true }, ignore);

  const report = (functions: readonly RunFunction[]) => {
    for (let from = 0; from < functions.length; from += FUNCTIONS_A_MESSAGE) {
      const part: RunFunction[] = [];
      for (let at = from; at < functions.length && at < from + FUNCTIONS_A_MESSAGE; at += 1) {
        const { ranges, isBlockCoverage } = functions[at] as RunFunction;
        part[part.length] = { ranges, isBlockCoverage };
      }
      send({ t: "coverage", functions: part });
    }
  };
  return () =>
    post("Profiler.takePreciseCoverage", {}, (error, taken) => {
      if (error) return;
      const { result } = taken as { readonly result: readonly ScriptReport[] };
      for (let at = 0; at < result.length; at += 1) if (result[at]?.url === file) report(result[at]?.functions ?? []);
    });
};
