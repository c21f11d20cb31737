import { folderState, watchProject, type ProjectUnusable, type RunConsents } from "@parley/framework";
import { failureText, type Log } from "@parley/telemetry";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParleyConfig, parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { startInstallationOf } from "../start/app.ts";
import { readInstance } from "../instance/instance.ts";
import { start, type Running } from "../start/start.ts";
import type { RunHooks } from "../start/shutdown.ts";
import { appFolders } from "../input/app-folder.ts";

/** Logs the errors of an app and waits until its files change. @errors the failure, when `stopped` aborts */
const waitForEdit =
  (stopped: AbortSignal, log: Log) =>
  async (failure: ProjectUnusable, folder: string): Promise<void> => {
    const state = await folderState(folder);
    log(failure.message);
    let resolveEdit = (): void => undefined;
    const edited = new Promise<void>((resolve) => (resolveEdit = resolve));
    stopped.addEventListener("abort", resolveEdit);
    if (stopped.aborted) resolveEdit();
    const changed = () => Promise.resolve(resolveEdit());
    const reportError = (error: unknown) =>
      log(`the app's folder can't be watched: ${failureText(error)}`, { level: "error" });
    const watcher = await watchProject(folder, changed, reportError, state);
    log("Waiting for a change to the app's files …");
    await edited;
    stopped.removeEventListener("abort", resolveEdit);
    await watcher.close();
    if (stopped.aborted) throw failure;
  };

/** Settings of a temporary instance: its own data folder and database, and free ports unless they are set explicitly. */
async function ephemeralConfig(config: ParleyConfig): Promise<{ config: ParleyConfig; remove: () => Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-run-"));
  return {
    config: {
      ...config,
      dataFolder,
      databaseUrl: undefined,
      servicePort: config.isServicePortExplicit ? config.servicePort : 0,
      appPort: config.isAppPortExplicit ? config.appPort : 0,
    },
    remove: () => rm(dataFolder, { recursive: true, force: true }),
  };
}

interface RunOptions extends RunHooks {
  readonly dirs: readonly string[];
  readonly install: boolean;
  /** Path of a JSON file with parameter values. */
  readonly iparams: string | undefined;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  readonly isDeterministic: boolean;
  readonly isEphemeral: boolean;
  /** Measures the coverage of the apps' handlers, for `parley pack`. */
  readonly isCoverageMeasured: boolean;
  /** With --json an app that can't be run is a failure; otherwise the command waits for an edit. */
  readonly json: boolean;
}

/** Running apps with the options of their start. */
export interface RunningApps extends Running {
  readonly dataFolder: string;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  /** Whether other ports are used because the default ports are in use. */
  readonly hasOtherPorts: boolean;
  readonly isDeterministic: boolean;
}

/** Timeout of a request that checks whether an instance is running. @units milliseconds */
const PROBE_TIMEOUT_MS = 2_000;

/** Whether an instance responds. Its file can outlive it, and another process can get its process id. */
const responds = (address: string): Promise<boolean> =>
  fetch(address, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    async (reply) => {
      await reply.body?.cancel();
      return true;
    },
    () => false,
  );

/** @errors CommandFailure with the address of the running instance */
async function checkNotRunning(folders: readonly string[], { dataFolder }: ParleyConfig): Promise<void> {
  for (const folder of [dataFolder, ...folders.map((each) => join(each, ".parley"))]) {
    const other = await readInstance(folder);
    if (!other || !(await responds(other.installPage))) continue;
    const app = other.apps?.find((each) => folders.includes(each.folder)) ?? other;
    throw new CommandFailure(
      `${folder.slice(0, -"/.parley".length)} is already running: ${app.app} (service ${other.service}, process ${other.pid}). ` +
        "Stop that instance first, or add --ephemeral to run a second instance.",
    );
  }
}

/** Runs apps on a local instance. */
export async function runApps(options: RunOptions): Promise<RunningApps> {
  const { maps, consents, isDeterministic, isEphemeral, isCoverageMeasured, json, stopped, log, progress } = options;
  const [{ folders, packages }, install] = await Promise.all([
    appFolders(options.dirs, process.cwd()),
    startInstallationOf(options.iparams, options.install),
  ]);
  const defaultConfig = parleyConfig(undefined, folders[0]);
  if (!isEphemeral) await checkNotRunning(folders, defaultConfig);
  const { config, remove } = isEphemeral
    ? await ephemeralConfig(defaultConfig)
    : { config: defaultConfig, remove: undefined };
  try {
    const running = await start({
      config,
      folders,
      packages,
      install,
      maps,
      consents,
      isDeterministic,
      mayUseOtherPorts: true,
      hasSignInLink: !json,
      isCoverageMeasured,
      ...(json ? {} : { awaitRetry: waitForEdit(stopped, log) }),
      progress,
      log,
    });
    const close = async () => {
      await running.close();
      await remove?.();
    };
    const ports = [running.service, running.app].map((address) => Number(new URL(address).port));
    const hasOtherPorts = ![config.servicePort, config.appPort].every(
      (port, index) => port === 0 || port === ports[index],
    );
    return {
      ...running,
      dataFolder: config.dataFolder,
      maps,
      consents,
      hasOtherPorts,
      isDeterministic,
      close,
    };
  } catch (error) {
    await remove?.();
    throw error;
  }
}
