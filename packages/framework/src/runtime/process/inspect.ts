import { builtText } from "../../environment/assets.ts";
import { createBundler } from "../../package/bundler/bundler.ts";
import type { ProjectTools, Inspect } from "../../package/load/load.ts";
import { createLauncher, type ProcessLinkOptions } from "./process-link.ts";
import { findBoundary, type BoundaryName } from "../../sandbox/boundary.ts";
import { defaultHostSettings } from "../../environment/settings.ts";
import { CallFailed, startAppProcess, type HostAnswer } from "./app-process.ts";
import { createStackTracer } from "./stack-trace.ts";

const OUTSIDE_HANDLER: HostAnswer = { failure: { message: "$request and $db work inside handlers only", status: 400 } };

/** Loads an app's code in its own process to list its exports. The process starts while the code is still being bundled. */
export const createInspector =
  (options: Omit<ProcessLinkOptions, "receive">): Inspect =>
  async (building) => {
    let trace = createStackTracer(undefined);
    let isBuilt = false;
    const code = building.then(({ code, map }) => {
      [trace, isBuilt] = [createStackTracer(map), true];
      return code;
    });
    const process = startAppProcess({
      ...options,
      code,
      trace: (text) => trace(text),
      answer: () => Promise.resolve(OUTSIDE_HANDLER),
    });
    try {
      return { handlers: await process.handlers, events: await process.events };
    } catch (error) {
      if (isBuilt && error instanceof CallFailed) return { error: error.appStack ?? error.message };
      throw error;
    } finally {
      process.retire();
    }
  };

/**
 * Creates the tools that read apps' files and code without a running host, in the same confined processes as a host.
 * @shape boundaries: the permitted boundaries, as for `findBoundary`
 */
export async function createProjectTools(boundaries?: readonly BoundaryName[]): Promise<ProjectTools> {
  const [program, boundary] = await Promise.all([builtText("child.cjs"), findBoundary(boundaries)]);
  return {
    inspect: createInspector({
      launch: createLauncher(boundary),
      program,
      settings: defaultHostSettings,
      log: () => undefined,
    }),
    bundler: createBundler(boundary),
  };
}
