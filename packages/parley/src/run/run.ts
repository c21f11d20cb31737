import { folderState, watchProject, type ProjectUnusable, type RunConsents } from "@parley/framework";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParleyConfig, parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import type { StartInstallation } from "../start/install.ts";
import { readInstance } from "../instance/instance.ts";
import { start, type Running } from "../start/start.ts";
import type { StopMessages } from "../start/until-stopped.ts";
import { appFolders, readValues } from "./folders.ts";

/** Shows what is wrong with an app, and waits until its author has changed something. @errors the failure, when told to stop */
const mendByHand =
  (stopped: AbortSignal, log: (line: string) => void) =>
  async (failure: ProjectUnusable, folder: string): Promise<void> => {
    const known = await folderState(folder);
    log(failure.message);
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    stopped.addEventListener("abort", end);
    if (stopped.aborted) end();
    const changed = () => Promise.resolve(end());
    const trouble = (error: unknown) => log(`error: The app's folder can't be watched: ${String(error)}`);
    const watcher = await watchProject(folder, changed, trouble, known);
    log("Waiting for a change of the app's files …");
    await over;
    stopped.removeEventListener("abort", end);
    await watcher.close();
    if (stopped.aborted) throw failure;
  };

/** Settings of a start of which nothing stays: a data folder and a database of its own, and any free ports unless they are set. */
async function ephemeralConfig(config: ParleyConfig): Promise<{ config: ParleyConfig; remove: () => Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-run-"));
  return {
    config: {
      ...config,
      dataFolder,
      databaseUrl: undefined,
      servicePort: config.servicePortGiven ? config.servicePort : 0,
      appPort: config.appPortGiven ? config.appPort : 0,
    },
    remove: () => rm(dataFolder, { recursive: true, force: true }),
  };
}

interface RunOptions extends StopMessages {
  readonly dirs: readonly string[];
  readonly install: boolean;
  /** A JSON file. */
  readonly iparams: string | undefined;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  readonly still: boolean;
  readonly ephemeral: boolean;
  /** Counts what the apps' handlers run, for `parley pack`. */
  readonly coverage: boolean;
  /** For a script: an app that can't be run is a failure, not something to wait for. */
  readonly json: boolean;
}

/** What runs, and how. */
export interface RunningApps extends Running {
  readonly dataFolder: string;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  /** Ports that are not the usual ones, since those are in use. */
  readonly moved: boolean;
  readonly still: boolean;
}

/** How long an instance may take to show that it is there. @units milliseconds */
const PATIENCE = 2_000;

/** A note of an instance may outlive it, and another process have its number. */
const answers = (address: string): Promise<boolean> =>
  fetch(address, { signal: AbortSignal.timeout(PATIENCE) }).then(
    async (reply) => {
      await reply.body?.cancel();
      return true;
    },
    () => false,
  );

/** @errors UsageFailure that says where the other one is */
async function refuseSecond(folders: readonly string[], { dataFolder }: ParleyConfig): Promise<void> {
  for (const folder of [dataFolder, ...folders.map((each) => join(each, ".parley"))]) {
    const other = await readInstance(folder);
    if (!other || !(await answers(other.installPage))) continue;
    const app = other.apps?.find((each) => folders.includes(each.folder)) ?? other;
    throw new CommandFailure(
      `${folder.slice(0, -"/.parley".length)} runs already: ${app.app} (service ${other.service}, process ${other.pid}). ` +
        "Stop that one first, or add --ephemeral for one beside it.",
    );
  }
}

const installing = async (iparams: string | undefined, install: boolean): Promise<StartInstallation> => {
  if (iparams !== undefined) return { by: "values", values: await readValues(iparams), file: iparams };
  return { by: install ? "defaults" : "nobody" };
};

/** Apps on a service of their own. */
export async function runApps(options: RunOptions): Promise<RunningApps> {
  const { maps, consents, still, ephemeral, coverage, json, stopped, log, progress } = options;
  const [{ folders, packages }, install] = await Promise.all([
    appFolders(options.dirs, process.cwd()),
    installing(options.iparams, options.install),
  ]);
  const usual = parleyConfig(undefined, folders[0]);
  if (!ephemeral) await refuseSecond(folders, usual);
  const { config, remove } = ephemeral ? await ephemeralConfig(usual) : { config: usual, remove: undefined };
  try {
    const running = await start({
      config,
      folders,
      packages,
      install,
      maps,
      consents,
      still,
      yields: true,
      hasSimulationPage: true,
      isCoverageMeasured: coverage,
      ...(json ? {} : { mend: mendByHand(stopped, log) }),
      progress,
      log,
    });
    const close = async () => {
      await running.close();
      await remove?.();
    };
    const ports = [running.service, running.app].map((address) => Number(new URL(address).port));
    const moved = ![config.servicePort, config.appPort].every((port, index) => port === 0 || port === ports[index]);
    return { ...running, dataFolder: config.dataFolder, maps, consents, moved, still, close };
  } catch (error) {
    await remove?.();
    throw error;
  }
}
