import type { Log } from "@parley/telemetry";
import { builtText } from "../../environment/assets.ts";
import { createBundler } from "../../package/bundler/bundler.ts";
import { liveProject } from "../../package/live-project.ts";
import { defaultHostSettings, type HostSettings } from "../../environment/settings.ts";
import { createInspector } from "./inspect.ts";
import { findBoundary } from "../../sandbox/boundary.ts";
import { admitCode } from "../../sandbox/origin.ts";
import { createLauncher } from "./process-link.ts";
import { appLog } from "./log.ts";
import { createAppRunner } from "./runner.ts";

export interface StandaloneRunnerOptions {
  /** Folder of the app. */
  readonly folder: string;
  /** Reloads the app when its folder changes. */
  readonly follow?: boolean;
  /** Starts the process before the first call. Default: true. */
  readonly isWarm?: boolean;
  readonly log?: Log;
  readonly settings?: Partial<HostSettings>;
}

export interface StandaloneRunner {
  /** -> the rendered value. @errors Error with the reason */
  call(name: string, args: unknown): Promise<unknown>;
  close(): Promise<void>;
}

const NO_PROJECT = "lone";
const answerWithoutHost = () =>
  Promise.resolve({ failure: { message: "This app runs alone: requests and records need an app host", status: 400 } });

/**
 * Runs an app's functions in its confined process, without installation, account or server. Used by benchmarks.
 * @errors ProjectUnusable
 */
export async function startRunner(options: StandaloneRunnerOptions): Promise<StandaloneRunner> {
  const { folder, follow = false, isWarm = true, log = () => undefined } = options;
  const settings = { ...defaultHostSettings, ...options.settings };
  const [program, boundary] = await Promise.all([builtText("child.cjs"), findBoundary()]);
  admitCode(boundary, "folder", log);
  const launch = createLauncher(boundary);
  const link = { launch, program, settings, log: appLog("app", log, settings.maxLogLinesPerSecond) };
  const bundler = createBundler(boundary);
  const live = await liveProject({ folder, tools: { inspect: createInspector(link), bundler }, log });
  const processes = createAppRunner({ ...link, app: () => live.newest().project });
  if (follow) await live.follow(() => processes.refresh());
  if (isWarm) processes.warm(NO_PROJECT, answerWithoutHost);
  return {
    async call(name, args) {
      const outcome = await processes.invoke(NO_PROJECT, { handler: name, args, renders: true }, answerWithoutHost);
      if (!outcome.ok) throw new Error(outcome.error);
      if (outcome.rendered?.message !== undefined) throw new Error(outcome.rendered.message);
      return outcome.rendered?.data;
    },
    async close() {
      await live.close();
      bundler.close();
      await processes.close();
    },
  };
}
