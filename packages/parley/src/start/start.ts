import { join } from "node:path";
import { openDatabase } from "@parley/database";
import type { ProjectUnusable, RunConsents } from "@parley/framework";
import type { ParleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { startLocalService, type Still } from "../world/local-service.ts";
import { ACCOUNT, startApp, type AppDeps } from "./app.ts";
import { createCloseStack } from "./close-stack.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { installAtStart, type StartInstallation } from "./install.ts";
import { announceInstance, type AppPlace, type Instance } from "../instance/instance.ts";
import { API_KEY, keptAdminKey, keptKey } from "../instance/keys.ts";
import { portOr, portTaken } from "./ports.ts";

export interface Running extends Instance {
  readonly token: string;
  readonly docs: string;
  readonly apps: readonly AppPlace[];
  close(): Promise<void>;
}

interface StartOptions {
  readonly config: ParleyConfig;
  /** Folders of the apps, absolute; each gets a host of its own. */
  readonly folders: readonly string[];
  /** Those of the folders whose code is a package's, not the operator's own. */
  readonly packages?: ReadonlySet<string>;
  readonly install: StartInstallation;
  /** Takes other ports where the usual ones are in use. */
  readonly yields?: boolean;
  readonly maps?: ReadonlyMap<string, string>;
  /** What the apps' code may do in this run besides what admins agree to. */
  readonly consents?: RunConsents | undefined;
  /** Serves each app's page to raise events from, at `/web/test`; not unless told. */
  readonly hasSimulationPage?: boolean;
  /** Counts what each app's handlers run; not unless told. */
  readonly isCoverageMeasured?: boolean;
  /** Ids are the same in each run, and the clock stands. */
  readonly still?: boolean;
  /** Resolves when an app that can't be run is worth another try; without it the start fails. */
  readonly mend?: (failure: ProjectUnusable, folder: string) => Promise<void>;
  /** What takes a while, as it begins. */
  readonly progress: (line: string) => void;
  /** What the service, the app hosts and the apps' handlers report while they run. */
  readonly log: (line: string) => void;
}

/**
 * What an instance that is held still begins with.
 * @assumed The time: a working day's morning, when the demo account has opened.
 */
const STILL: Still = { seed: "parley", at: new Date("2026-01-05T09:00:00.000Z") };

const refuse = (failure: ProjectUnusable): Promise<never> => Promise.reject(failure);

/** Database, service, app hosts and the apps' installations, joined; all of it ends when one can't begin. */
export async function start(options: StartOptions): Promise<Running> {
  const { config, folders, install, maps = new Map<string, string>(), consents = {}, mend = refuse } = options;
  const { progress, log } = options;
  const { dataFolder } = config;
  const ends = createCloseStack();
  const isGiven = { service: config.servicePortGiven || !options.yields, app: config.appPortGiven || !options.yields };
  try {
    await prepareDataFolder(dataFolder, log);
    progress(config.databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const database = await openDatabase({ dataFolder, url: config.databaseUrl, log });
    ends.add(() => database.close());

    progress("Starting the service");
    const adminKey = config.adminKey ?? (await keptAdminKey(dataFolder));
    const port = await portOr(config.servicePort, isGiven.service);
    const service = await startLocalService({
      database,
      port,
      adminKey,
      dataFolder,
      objectsFolder: join(dataFolder, "objects"),
      still: options.still ? STILL : undefined,
      log,
    }).catch((error: unknown) => portTaken(error, "PARLEY_SERVICE_PORT", port));
    ends.add(() => service.close());
    await service.admin.ensureDemo();
    const token = await keptKey(service.admin, dataFolder, API_KEY, { account: ACCOUNT, name: "local" });

    const { packages = new Set<string>(), hasSimulationPage = false, isCoverageMeasured = false } = options;
    const usual = { database, dataFolder, service, adminKey, token, log, mend };
    const deps: AppDeps = { ...usual, packages, maps, consents, hasSimulationPage, isCoverageMeasured };
    const apps: AppPlace[] = [];
    const subscriptions: string[] = [];
    for (const [index, folder] of folders.entries()) {
      progress(`Starting the app host${folders.length > 1 ? ` of ${folder}` : ""}`);
      // Beside a port of the machine's choice there is no next one.
      const wanted = config.appPort === 0 ? 0 : config.appPort + index;
      const { host, subscription } = await startApp(folder, index, { wanted, isGiven: isGiven.app }, deps, ends);
      const { name } = host.project();
      if (apps.some((other) => other.name === name))
        throw new CommandFailure(`Two of the folders hold an app of the name ${name}. Rename one in its package.json.`);
      if (install.by !== "nobody") progress(`Installing ${name} on ${ACCOUNT}`);
      const installed = await installAtStart(host, install);
      const app = `http://localhost:${host.port}`;
      const places = Object.entries(host.project().manifest.modules).flatMap(([, { location = {} }]) =>
        Object.keys(location),
      );
      apps.push({ name, folder, app, installPage: `${app}/custom_configs`, installed, places });
      subscriptions.push(subscription);
    }
    await service.admin.keepOnly({ account: ACCOUNT, kind: "app", names: subscriptions });

    // As it is now it begins again after a reset.
    await service.ensureSeed();
    const [first] = apps;
    const instance: Instance = {
      pid: process.pid,
      service: `http://localhost:${service.port}/v2`,
      app: first?.app ?? "",
      installPage: first?.installPage ?? "",
      account: ACCOUNT,
      apps,
    };
    ends.add(await announceInstance(dataFolder, instance, folders));
    return { ...instance, apps, token, docs: `http://localhost:${service.port}/docs`, close: () => ends.close() };
  } catch (error) {
    await ends.close();
    throw error;
  }
}

/** Where the key of an instance lies, for people. */
export const apiKeyFile = (config: ParleyConfig) => join(config.dataFolder, API_KEY);
