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

/** Reports the functions that have run since the previous report. */
export type ReportCoverage = () => void;

/** Maximum functions in one message: a large bundle has more than fit into the message size that the host accepts. */
const FUNCTIONS_A_MESSAGE = 1_000;

const load = (Module as unknown as Internals)._load.bind(Module);

/**
 * Starts V8's precise coverage for the app's code. An inspector session can evaluate code with access to all of Node's modules, so the app's
 * code must never obtain it: an own `emit` property hides the method of the prototype that the session shares with the app's event emitters.
 * @shape file: name under which the app's code was compiled
 * @errors Error when Node's permission model forbids an inspector session
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
