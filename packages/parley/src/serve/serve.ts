import { openDatabase, type Database } from "@parley/database";
import { localAppsUrl } from "@parley/framework";
import type { ParleyConfig } from "../environment/config.ts";
import { createCloseStack, type CloseStack } from "../start/shutdown.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { announceInstance, readInstance } from "../instance/instance.ts";
import { ensureAdminKey } from "../instance/keys.ts";
import { throwPortError } from "../start/ports.ts";
import { startWorkerPool } from "./worker-pool.ts";
import { openConnectionBalancer } from "./connection-balancer.ts";
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
  /** Script of the command, with which workers are started. */
  readonly script: string;
  readonly progress: (line: string) => void;
  readonly log: (line: string) => void;
}

export interface Serving {
  readonly pid: number;
  /** URL with the version segment; absent where only the platform runs. */
  readonly service?: string;
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

const startInThisProcess = async (
  database: Database,
  options: ServeOptions,
  closeStack: CloseStack,
): Promise<ListeningPart> => {
  const { config, port, host, log } = options;
  const service = await openService({ database, config, port, host, listens: true, log });
  closeStack.add(() => service.close());
  return { port: service.port, pids: () => [process.pid] };
};

const startInWorkers = async (_: Database, options: ServeOptions, closeStack: CloseStack): Promise<ListeningPart> => {
  const { port, host, workers, script, log } = options;
  const balancer = await openConnectionBalancer({ port, host });
  closeStack.add(async () => balancer.close());
  const args = ["serve-worker", String(balancer.port), host];
  const workerPool = await startWorkerPool({ count: workers, balancer, script, args, log });
  closeStack.add(async () => {
    balancer.close();
    await workerPool.stop();
  });
  return { port: balancer.port, pids: () => workerPool.pids() };
};

/** Apps' code takes no event loop of the service: the platform always has processes of its own. */
const startPlatformWorkers = async (
  { appPort, host, appWorkers, script, log }: ServeOptions,
  servicePort: number,
  closeStack: CloseStack,
): Promise<ListeningPart> => {
  const balancer = await openConnectionBalancer({ port: appPort, host });
  closeStack.add(async () => balancer.close());
  const args = ["serve-platform", String(balancer.port), host, String(servicePort)];
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

    const originOf = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    const startServicePart = async () => {
      progress(workers === 1 ? "Starting the service" : `Starting ${workers} processes of the service`);
      const start = workers === 1 ? startInThisProcess : startInWorkers;
      return start(database, options, closeStack).catch((error: unknown) =>
        throwPortError(error, "--port", options.port),
      );
    };
    const listening = options.only === "platform" ? undefined : await startServicePart();
    const startPlatformPart = async () => {
      progress("Starting the platform");
      return startPlatformWorkers(options, listening?.port ?? options.port, closeStack).catch((error: unknown) =>
        throwPortError(error, "PARLEY_APP_PORT", options.appPort),
      );
    };
    const platform = options.only === "service" ? undefined : await startPlatformPart();
    const addresses = {
      ...(listening && { service: `${originOf(listening.port)}/v2` }),
      ...(platform && { platform: originOf(platform.port), apps: config.appsUrl ?? localAppsUrl(platform.port) }),
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
