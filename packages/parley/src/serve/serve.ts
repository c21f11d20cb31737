import { openDatabase, type Database } from "@parley/database";
import { CONSOLE_PATH } from "@parley/contract";
import { localAppsUrl, reportSchedules } from "@parley/framework/operation";
import { serviceConfig } from "@parley/service/config";
import { reportInstallation } from "@parley/service/operation";
import type { Log } from "@parley/telemetry";
import type { ParleyConfig } from "../environment/config.ts";
import { createCloseStack, type CloseStack } from "../start/shutdown.ts";
import { collectWhenIdle } from "../environment/heap.ts";
import { openInstanceMetrics, type InstanceMetrics } from "../metrics/instance-metrics.ts";
import { reportDataFolder } from "../metrics/data-folder-metrics.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { announceInstance, readInstance } from "../instance/instance.ts";
import { ensureAdminKey } from "../instance/keys.ts";
import { LOOPBACK, failAtPort } from "../environment/ports.ts";
import { startWorkerPool } from "./worker-pool.ts";
import { openConnectionBalancer, type ConnectionBalancer } from "./connection-balancer.ts";
import { processLabel } from "../upgrade/process-label.ts";

/** Maximum connections of one process to the embedded server; the total includes one more share, for commands and replacement processes. */
const CONNECTIONS_PER_PROCESS = 40;

/** Parts that `parley serve` can run. */
export const SERVED_PARTS = ["service", "platform"] as const;
export type ServedPart = (typeof SERVED_PARTS)[number];

interface ServeOptions {
  readonly config: ParleyConfig;
  /** The only part to run; both when absent. */
  readonly only?: ServedPart | undefined;
  readonly port: number;
  /** Port of the platform. */
  readonly appPort: number;
  /** Number of processes of the platform. */
  readonly appWorkers: number;
  readonly host: string;
  /** Number of processes; 1: the service runs in this process. */
  readonly workers: number;
  /** Creates the demo accounts, and stores an API key of the first one in the data folder. */
  readonly demo: boolean;
  /** Hosts whose requests of apps go to another address of this machine. @shape `host=origin` */
  readonly maps: readonly string[];
  /** Script of the command, with which workers are started. */
  readonly script: string;
  readonly progress: (line: string) => void;
  readonly log: Log;
}

export interface Serving {
  readonly pid: number;
  /** URL with the version segment; absent where only the platform runs. */
  readonly service?: string;
  /** Address of the console in browsers; absent where only the platform runs. */
  readonly console?: string;
  /** Ids of the processes that answer requests of the API. */
  readonly workers: readonly number[];
  /** Origin of the platform's API, and of all apps in browsers; absent where only the service runs. */
  readonly platform?: string;
  readonly apps?: string;
  /** Ids of the processes of the platform. */
  readonly appWorkers: readonly number[];
  /** Address of the metrics; absent unless a port is set. */
  readonly metrics?: string;
  /** The demo account; absent without --demo. */
  readonly account?: string;
  readonly token?: string;
  /** `GET /ready` answers 503 from now on. */
  announceStop(): void;
  close(): Promise<void>;
}

interface ListeningPart {
  readonly port: number;
  pids(): readonly number[];
  announceStop(): void;
}

/** Values that the parts of one start share. */
interface PartContext {
  readonly database: Database;
  readonly options: ServeOptions;
  readonly metrics: InstanceMetrics;
  readonly closeStack: CloseStack;
}

/** Addresses of the platform, as the service needs them. */
interface PlatformAddresses {
  /** Origin of all apps in browsers. */
  readonly appsUrl: string;
  /** Origin at which the service reaches the platform. */
  readonly platformUrl: string;
}

/** The origin of a server on this machine. @shape host: that it listens on, which can stand for all addresses */
const localOrigin = (host: string, port: number): string => {
  const reached = { "0.0.0.0": LOOPBACK, "::": "::1" }[host] ?? host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
};

/** Hosts to listen on whose servers are reached as `localhost`. */
const LOCALHOST_HOSTS: readonly string[] = [LOOPBACK, "localhost", "0.0.0.0", "::"];

/**
 * The origin that is printed and linked to: one host name for all parts, because the cookies of a sign-in belong to one host name.
 * @shape host: that the server listens on
 */
const namedOrigin = (host: string, port: number): string =>
  LOCALHOST_HOSTS.includes(host) ? `http://localhost:${port}` : localOrigin(host, port);

/** Loads the code of the service, which a process that only starts others does not need: 60 MB of memory. */
const loadService = () => import("./service.ts");

const startInThisProcess = async (
  { database, options, metrics: { metrics }, closeStack }: PartContext,
  addresses: PlatformAddresses,
): Promise<ListeningPart> => {
  const { config, port, host, log } = options;
  let isStopping = false;
  const { openService } = await loadService();
  const service = await openService({
    database,
    config,
    port,
    host,
    ...addresses,
    listens: true,
    metrics,
    isStopping: () => isStopping,
    log,
  });
  closeStack.add(() => service.close());
  return { port: service.port, pids: () => [process.pid], announceStop: () => void (isStopping = true) };
};

const startInWorkers = async (
  { options, metrics: instanceMetrics, closeStack }: PartContext,
  { appsUrl, platformUrl }: PlatformAddresses,
): Promise<ListeningPart> => {
  const { port, host, workers, script, log } = options;
  const balancer = await openConnectionBalancer({ port, host });
  closeStack.add(async () => balancer.close());
  const args = ["serve-worker", String(balancer.port), host, appsUrl, platformUrl];
  const { metrics } = instanceMetrics;
  const workerPool = await startWorkerPool({ count: workers, balancer, script, args, part: "service", metrics, log });
  instanceMetrics.addProcesses(() => workerPool.metrics());
  closeStack.add(async () => {
    balancer.close();
    await workerPool.stop();
  });
  return { port: balancer.port, pids: () => workerPool.pids(), announceStop: () => workerPool.announceStop() };
};

/** Apps' code takes no event loop of the service: the platform always has processes of its own. */
const startPlatformWorkers = async (
  { options: { host, appWorkers, maps, script, log }, metrics: instanceMetrics, closeStack }: PartContext,
  balancer: ConnectionBalancer,
  servicePort: number,
): Promise<ListeningPart> => {
  const args = [
    "serve-platform",
    String(balancer.port),
    host,
    localOrigin(host, servicePort),
    namedOrigin(host, servicePort),
    localOrigin(host, balancer.port),
    ...maps,
  ];
  const { metrics } = instanceMetrics;
  const pool = { count: appWorkers, balancer, script, args, part: "platform", metrics, log } as const;
  const workerPool = await startWorkerPool(pool);
  instanceMetrics.addProcesses(() => workerPool.metrics());
  closeStack.add(async () => {
    balancer.close();
    await workerPool.stop();
  });
  return { port: balancer.port, pids: () => workerPool.pids(), announceStop: () => workerPool.announceStop() };
};

/**
 * Starts the service, in this process or in several processes that share one port, and the platform, in processes of its own. When one part
 * fails to start, all are closed.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, host, workers, progress, log } = options;
  const { dataFolder, databaseUrl } = config;
  const closeStack = createCloseStack();
  collectWhenIdle();
  try {
    await prepareDataFolder(dataFolder, log);
    const metrics = await openInstanceMetrics(config.metricsPort, {
      name: workers === 1 && options.only !== "platform" ? "service-1" : "main",
      log,
    });
    progress(databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const settings = { max_connections: String(CONNECTIONS_PER_PROCESS * (workers + options.appWorkers + 1)) };
    const database = await openDatabase({ dataFolder, url: databaseUrl, settings, processLabel: processLabel(), log });
    closeStack.add(() => database.close());
    const context: PartContext = { database, options, metrics, closeStack };
    // The admin key is created before the workers start: each of them would create a key.
    if (config.adminKey === undefined) await ensureAdminKey(dataFolder);
    const demo = options.demo ? await (await loadService()).createDemo({ database, config, log }) : undefined;

    // The port of the platform is known first: the service admits pages of apps by their addresses.
    const openApps = async () => {
      const balancer = await openConnectionBalancer({ port: options.appPort, host }).catch((error: unknown) =>
        failAtPort(error, "--app-port", options.appPort),
      );
      closeStack.add(async () => balancer.close());
      return balancer;
    };
    const apps = options.only === "service" ? undefined : await openApps();
    const appPort = apps?.port ?? options.appPort;
    const platformAddresses: PlatformAddresses = {
      appsUrl: config.appsUrl ?? localAppsUrl(appPort),
      platformUrl: config.platformUrl ?? localOrigin(host, appPort),
    };
    const originOf = (port: number) => namedOrigin(host, port);
    const startServicePart = async () => {
      progress(workers === 1 ? "Starting the service" : `Starting ${workers} processes of the service`);
      const start = workers === 1 ? startInThisProcess : startInWorkers;
      return start(context, platformAddresses).catch((error: unknown) => failAtPort(error, "--port", options.port));
    };
    const listening = options.only === "platform" ? undefined : await startServicePart();
    const startPlatformPart = async (balancer: ConnectionBalancer) => {
      progress(
        options.appWorkers === 1 ? "Starting the platform" : `Starting ${options.appWorkers} processes of the platform`,
      );
      return startPlatformWorkers(context, balancer, listening?.port ?? options.port);
    };
    const platform = apps && (await startPlatformPart(apps));
    reportInstallation({ metrics: metrics.metrics, database });
    reportSchedules({ metrics: metrics.metrics, database });
    reportDataFolder(metrics.metrics, dataFolder);
    const metricsAddress = await metrics.listen(host);
    closeStack.add(() => metrics.close());
    const addresses = {
      ...(listening && {
        service: `${originOf(listening.port)}/v2`,
        console: `${serviceConfig().publicUrl ?? originOf(listening.port)}${CONSOLE_PATH}`,
      }),
      ...(platform && { platform: originOf(platform.port), apps: platformAddresses.appsUrl }),
      ...(metricsAddress !== undefined && { metrics: metricsAddress }),
    };
    // Several instances can share a database and a data folder; commands find the first instance.
    if (!(await readInstance(dataFolder))) {
      const note = {
        pid: process.pid,
        service: addresses.service ?? (config.serviceUrl === undefined ? "" : `${config.serviceUrl}/v2`),
        ...(addresses.platform !== undefined && { platform: addresses.platform }),
        app: "",
        installPage: "",
        account: demo?.account ?? "",
      };
      closeStack.add(await announceInstance(dataFolder, note, [dataFolder]));
    }
    return {
      pid: process.pid,
      ...addresses,
      get workers() {
        return listening?.pids() ?? [];
      },
      get appWorkers() {
        return platform?.pids() ?? [];
      },
      ...demo,
      announceStop() {
        listening?.announceStop();
        platform?.announceStop();
      },
      close: () => closeStack.close(),
    };
  } catch (error) {
    await closeStack.close();
    throw error;
  }
}
