import { openDatabase, type Database } from "@parley/database";
import { CONSOLE_PATH } from "@parley/contract";
import { localAppsUrl } from "@parley/framework";
import { serviceConfig } from "@parley/service";
import type { Log } from "@parley/telemetry";
import type { ParleyConfig } from "../environment/config.ts";
import { createCloseStack, type CloseStack } from "../start/shutdown.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { announceInstance, readInstance } from "../instance/instance.ts";
import { ensureAdminKey } from "../instance/keys.ts";
import { LOOPBACK, throwPortError } from "../start/ports.ts";
import { startWorkerPool } from "./worker-pool.ts";
import { openConnectionBalancer, type ConnectionBalancer } from "./connection-balancer.ts";
import { createDemo, openService } from "./service.ts";

/** Maximum connections of one process to the embedded server; the total includes one more share, for commands and replacement processes. */
const CONNECTIONS_PER_PROCESS = 40;

/** What `parley serve` runs. */
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
  /** The demo account; absent without --demo. */
  readonly account?: string;
  readonly token?: string;
  close(): Promise<void>;
}

interface ListeningPart {
  readonly port: number;
  pids(): readonly number[];
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

/** Whether a server that listens on the host is reached at a loopback address. */
const isLoopback = (host: string): boolean => /^(?:127\.|::1$|localhost$|0\.0\.0\.0$|::$)/.test(host);

const startInThisProcess = async (
  database: Database,
  options: ServeOptions,
  { appsUrl, platformUrl }: PlatformAddresses,
  closeStack: CloseStack,
): Promise<ListeningPart> => {
  const { config, port, host, log } = options;
  const service = await openService({ database, config, port, host, appsUrl, platformUrl, listens: true, log });
  closeStack.add(() => service.close());
  return { port: service.port, pids: () => [process.pid] };
};

const startInWorkers = async (
  _: Database,
  options: ServeOptions,
  { appsUrl, platformUrl }: PlatformAddresses,
  closeStack: CloseStack,
): Promise<ListeningPart> => {
  const { port, host, workers, script, log } = options;
  const balancer = await openConnectionBalancer({ port, host });
  closeStack.add(async () => balancer.close());
  const args = ["serve-worker", String(balancer.port), host, appsUrl, platformUrl];
  const workerPool = await startWorkerPool({ count: workers, balancer, script, args, log });
  closeStack.add(async () => {
    balancer.close();
    await workerPool.stop();
  });
  return { port: balancer.port, pids: () => workerPool.pids() };
};

/** Apps' code takes no event loop of the service: the platform always has processes of its own. */
const startPlatformWorkers = async (
  { host, appWorkers, maps, script, log }: ServeOptions,
  balancer: ConnectionBalancer,
  servicePort: number,
  closeStack: CloseStack,
): Promise<ListeningPart> => {
  const serviceOrigin = localOrigin(host, servicePort);
  const args = [
    "serve-platform",
    String(balancer.port),
    host,
    serviceOrigin,
    localOrigin(host, balancer.port),
    ...maps,
  ];
  const workerPool = await startWorkerPool({ count: appWorkers, balancer, script, args, log });
  closeStack.add(async () => {
    balancer.close();
    await workerPool.stop();
  });
  return { port: balancer.port, pids: () => workerPool.pids() };
};

/**
 * Starts the service, in this process or in several processes that share one port, and the platform, in processes of its own. When one part
 * fails to start, all are closed.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, host, workers, progress, log } = options;
  const { dataFolder, databaseUrl } = config;
  const closeStack = createCloseStack();
  try {
    await prepareDataFolder(dataFolder, log);
    progress(databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const settings = { max_connections: String(CONNECTIONS_PER_PROCESS * (workers + options.appWorkers + 1)) };
    const database = await openDatabase({ dataFolder, url: databaseUrl, settings, log });
    closeStack.add(() => database.close());
    // The admin key is created before the workers start: each of them would create one.
    if (config.adminKey === undefined) await ensureAdminKey(dataFolder);
    const demo = options.demo ? await createDemo({ database, config, log }) : undefined;

    // The port of the platform is known first: the service admits pages of apps by their addresses.
    const openApps = async () => {
      const balancer = await openConnectionBalancer({ port: options.appPort, host }).catch((error: unknown) =>
        throwPortError(error, "--app-port", options.appPort),
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
    const consoleOrigin = (port: number) =>
      serviceConfig().publicUrl ?? (isLoopback(host) ? `http://localhost:${port}` : originOf(port));
    const originOf = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    const startServicePart = async () => {
      progress(workers === 1 ? "Starting the service" : `Starting ${workers} processes of the service`);
      const start = workers === 1 ? startInThisProcess : startInWorkers;
      return start(database, options, platformAddresses, closeStack).catch((error: unknown) =>
        throwPortError(error, "--port", options.port),
      );
    };
    const listening = options.only === "platform" ? undefined : await startServicePart();
    const startPlatformPart = async (balancer: ConnectionBalancer) => {
      progress(
        options.appWorkers === 1 ? "Starting the platform" : `Starting ${options.appWorkers} processes of the platform`,
      );
      return startPlatformWorkers(options, balancer, listening?.port ?? options.port, closeStack);
    };
    const platform = apps && (await startPlatformPart(apps));
    const addresses = {
      ...(listening && {
        service: `${originOf(listening.port)}/v2`,
        console: `${consoleOrigin(listening.port)}${CONSOLE_PATH}`,
      }),
      ...(platform && { platform: originOf(platform.port), apps: platformAddresses.appsUrl }),
    };
    // Several instances can share a database and a data folder; commands find the first one.
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
      close: () => closeStack.close(),
    };
  } catch (error) {
    await closeStack.close();
    throw error;
  }
}
