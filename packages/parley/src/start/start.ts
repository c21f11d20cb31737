import { join } from "node:path";
import { CONSOLE_PATH, isRefusal } from "@parley/contract";
import { openDatabase } from "@parley/database";
import { reportSchedules } from "@parley/framework/operation";
import type { ProjectUnusable, RunConsents } from "@parley/framework";
import { reportInstallation } from "@parley/service/operation";
import type { Log } from "@parley/telemetry";
import type { ParleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { startLocalService, type DeterministicInputs, type LocalService } from "../test-environment/local-service.ts";
import { installAtStart, LOCAL_ACCOUNT, startApp, type AppDeps, type StartInstallation } from "./app.ts";
import { openInstanceMetrics } from "../metrics/instance-metrics.ts";
import { reportDataFolder } from "../metrics/data-folder-metrics.ts";
import { startAppPlatform } from "../platform-process/app-platform.ts";
import { createCloseStack } from "./shutdown.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { announceInstance, type InstanceApp, type Instance } from "../instance/instance.ts";
import { API_KEY, ensureAdminKey, ensureApiKey } from "../instance/keys.ts";
import { choosePort, LOOPBACK, failAtPort } from "../environment/ports.ts";
import { startShop } from "../shop/server.ts";
import { processLabel } from "../upgrade/process-label.ts";

export interface Running extends Instance {
  readonly token: string;
  readonly docs: string;
  /** Address of the console, where agents answer. */
  readonly console: string;
  readonly apps: readonly InstanceApp[];
  /** Address of the metrics; absent unless a port is set. */
  readonly metrics?: string;
  /** Link that signs in the account's owner once; absent unless it was requested and the account has an active owner. */
  readonly signIn?: string;
  /** Address of the demo shop, whose page embeds the messenger; absent unless it was requested. */
  readonly messenger?: string;
  close(): Promise<void>;
}

interface StartOptions {
  readonly config: ParleyConfig;
  /** Absolute paths of the apps' folders; each app gets its own host. */
  readonly folders: readonly string[];
  /** Folders that were unpacked from packages, whose code is not the operator's own. */
  readonly packages?: ReadonlySet<string>;
  readonly install: StartInstallation;
  /** Uses other ports when the default ports are in use. */
  readonly mayUseOtherPorts?: boolean;
  readonly maps?: ReadonlyMap<string, string>;
  /** Consents of this run, in addition to those that admins have given. */
  readonly consents?: RunConsents | undefined;
  /** Measures the coverage of each app's handlers; false by default. */
  readonly isCoverageMeasured?: boolean;
  /** Generates the same ids in each run, with a frozen clock. */
  readonly isDeterministic?: boolean;
  /** Creates a link that signs in the account's owner; false by default. */
  readonly hasSignInLink?: boolean;
  /** Serves the demo shop; false by default. */
  readonly hasShop?: boolean;
  /** Resolves when the start of an app that can't be run must be retried; without it the start fails. */
  readonly awaitRetry?: (failure: ProjectUnusable, folder: string) => Promise<void>;
  /** Receives a line at the beginning of each step of the start. */
  readonly progress: (line: string) => void;
  /** Receives the log lines of the service, the app hosts and the apps' handlers. */
  readonly log: Log;
}

/**
 * Initial state of a deterministic instance.
 * @assumed The clock starts on a working day, in the morning, within the business hours of the demo account.
 */
const DETERMINISTIC_INPUTS: DeterministicInputs = { seed: "parley", at: new Date("2026-01-05T09:00:00.000Z") };

/** -> a link that signs in the account's owner; undefined, with a log line, if there is no such agent */
const createOwnerLink = async (
  { admin, port }: Pick<LocalService, "admin" | "port">,
  log: Log,
): Promise<string | undefined> => {
  try {
    return (await admin.createSignInLink({ account: LOCAL_ACCOUNT, origin: `http://localhost:${port}` })).link;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log(`There is no link to sign in: ${error.message} Create one with 'npx parley sign-in --email <address>'.`);
    return undefined;
  }
};

const rejectFailure = (failure: ProjectUnusable): Promise<never> => Promise.reject(failure);

/** Starts the database, the service and the app hosts, and installs the apps. When one part fails to start, all are closed. */
export async function start(options: StartOptions): Promise<Running> {
  const {
    config,
    folders,
    install,
    maps = new Map<string, string>(),
    consents = {},
    awaitRetry = rejectFailure,
  } = options;
  const { progress, log } = options;
  const { dataFolder } = config;
  const closeStack = createCloseStack();
  const isExplicit = {
    service: config.isServicePortExplicit || !options.mayUseOtherPorts,
    app: config.isAppPortExplicit || !options.mayUseOtherPorts,
  };
  try {
    await prepareDataFolder(dataFolder, log);
    // Its process loads its code while PostgreSQL and the service start.
    const platform = startAppPlatform(log);
    closeStack.add(() => platform.close());
    progress(config.databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const database = await openDatabase({ dataFolder, url: config.databaseUrl, processLabel: processLabel(), log });
    closeStack.add(() => database.close());

    const metrics = await openInstanceMetrics(config.metricsPort, { name: "service-1", log });
    progress("Starting the service");
    const adminKey = config.adminKey ?? (await ensureAdminKey(dataFolder));
    const port = await choosePort(config.servicePort, isExplicit.service);
    const apps: InstanceApp[] = [];
    const service = await startLocalService({
      database,
      port,
      adminKey,
      dataFolder,
      objectsFolder: join(dataFolder, "objects"),
      // The first app's host serves the platform; its port is chosen later.
      platformOrigin: () => apps[0] && `http://${LOOPBACK}:${new URL(apps[0].app).port}`,
      deterministic: options.isDeterministic ? DETERMINISTIC_INPUTS : undefined,
      metrics: metrics.metrics,
      log,
    }).catch((error: unknown) => failAtPort(error, "PARLEY_SERVICE_PORT", port));
    closeStack.add(() => service.close());
    const { seed } = options.isDeterministic ? DETERMINISTIC_INPUTS : {};
    const connected = platform.connect(
      { dataFolder, databaseUrl: config.databaseUrl, seed, isMeasured: metrics.metrics.isOn },
      service,
    );
    connected.catch(() => undefined);
    // Also registered here, because the hosts are closed before the service.
    closeStack.add(() => platform.close());
    await service.admin.ensureDemo();
    const token = await ensureApiKey(service.admin, dataFolder, API_KEY, { account: LOCAL_ACCOUNT, name: "local" });

    await connected;
    const { packages = new Set<string>(), isCoverageMeasured = false } = options;
    const shared = { platform, dataFolder, service, adminKey, token, log, awaitRetry };
    const isSignInRequired = config.isAppSignInRequired;
    const deps: AppDeps = { ...shared, isSignInRequired, packages, maps, consents, isCoverageMeasured };
    const subscriptions: string[] = [];
    for (const [index, folder] of folders.entries()) {
      progress(`Starting the app host${folders.length > 1 ? ` of ${folder}` : ""}`);
      // Port 0 leaves the choice to the system for each app.
      const port = config.appPort === 0 ? 0 : config.appPort + index;
      const appPort = { port, isExplicit: isExplicit.app };
      const { host, subscription } = await startApp(folder, index, appPort, deps);
      const { name, places } = host;
      if (apps.some((other) => other.name === name))
        throw new CommandFailure(`Two of the folders contain an app named ${name}. Rename one in its package.json.`);
      if (install.by !== "none") progress(`Installing ${name} on ${LOCAL_ACCOUNT}`);
      const installed = await installAtStart(host, install);
      const app = `http://localhost:${host.port}`;
      apps.push({ name, folder, app, installPage: `${app}/custom_configs`, installed, places });
      subscriptions.push(subscription);
    }
    await service.admin.keepOnly({ account: LOCAL_ACCOUNT, kind: "app", names: subscriptions });

    metrics.addProcesses(() => platform.metrics());
    reportInstallation({ metrics: metrics.metrics, database });
    reportSchedules({ metrics: metrics.metrics, database });
    reportDataFolder(metrics.metrics, dataFolder);
    const metricsAddress = await metrics.listen(LOOPBACK);
    closeStack.add(() => metrics.close());
    // A reset returns to the state at this point.
    await service.ensureSeed();
    // Created afterwards, so that it is not part of the seed.
    const signIn = options.hasSignInLink ? await createOwnerLink(service, log) : undefined;
    const shop = options.hasShop
      ? await startShop({
          port: config.shopPort,
          isPortExplicit: config.isShopPortExplicit,
          serviceOrigin: `http://localhost:${service.port}`,
          account: LOCAL_ACCOUNT,
        })
      : undefined;
    if (shop) closeStack.add(() => shop.close());
    const [first] = apps;
    const instance: Instance = {
      pid: process.pid,
      service: `http://localhost:${service.port}/v2`,
      ...(first && { platform: first.app }),
      app: first?.app ?? "",
      installPage: first?.installPage ?? "",
      account: LOCAL_ACCOUNT,
      apps,
    };
    platform.keepRunning();
    closeStack.add(await announceInstance(dataFolder, instance, folders));
    return {
      ...instance,
      apps,
      token,
      docs: `http://localhost:${service.port}/docs`,
      console: `http://localhost:${service.port}${CONSOLE_PATH}`,
      ...(metricsAddress !== undefined && { metrics: metricsAddress }),
      ...(signIn !== undefined && { signIn }),
      ...(shop && { messenger: shop.url }),
      close: () => closeStack.close(),
    };
  } catch (error) {
    await closeStack.close();
    throw error;
  }
}
