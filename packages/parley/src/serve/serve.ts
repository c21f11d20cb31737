import { join } from "node:path";
import { openDatabase, type Database } from "@parley/database";
import { startService } from "@parley/service";
import type { ParleyConfig } from "../environment/config.ts";
import { createCloseStack, type CloseStack } from "../start/close-stack.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { announceInstance, readInstance } from "../instance/instance.ts";
import { API_KEY, ensureAdminKey, ensureApiKey } from "../instance/keys.ts";
import { throwPortError } from "../start/ports.ts";
import { startWorkerPool } from "./worker-pool.ts";
import { openConnectionBalancer } from "./connection-balancer.ts";
import { openService } from "./own-service.ts";

/** The demo account that the API key is issued for. */
const DEMO = "acme";
/** Maximum connections of one process to the embedded server; the total includes one more share, for commands and replacement processes. */
const CONNECTIONS = 40;

interface ServeOptions {
  readonly config: ParleyConfig;
  readonly port: number;
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
  /** URL with the version segment. */
  readonly service: string;
  /** Ids of the processes that answer requests. */
  readonly workers: readonly number[];
  /** The demo account; absent without --demo. */
  readonly account?: string;
  readonly token?: string;
  close(): Promise<void>;
}

/** Creates the demo accounts and an API key, through a service that does not listen. */
async function demoKey(database: Database, { dataFolder }: ParleyConfig, log: ServeOptions["log"]): Promise<string> {
  const objectsFolder = join(dataFolder, "objects");
  const service = await startService({
    database,
    port: 0,
    listens: false,
    isDispatchDisabled: true,
    objectsFolder,
    log,
  });
  try {
    await service.admin.ensureDemo();
    return await ensureApiKey(service.admin, dataFolder, API_KEY, { account: DEMO, name: "serve" });
  } finally {
    await service.close();
  }
}

interface Answering {
  readonly port: number;
  pids(): readonly number[];
}

const alone = async (database: Database, options: ServeOptions, ends: CloseStack): Promise<Answering> => {
  const { config, port, host, log } = options;
  const service = await openService({ database, config, port, host, listens: true, log });
  ends.add(() => service.close());
  return { port: service.port, pids: () => [process.pid] };
};

const together = async (_: Database, options: ServeOptions, ends: CloseStack): Promise<Answering> => {
  const { port, host, workers, script, log } = options;
  const front = await openConnectionBalancer({ port, host });
  ends.add(async () => front.close());
  const args = ["serve-worker", String(front.port), host];
  const crew = await startWorkerPool({ count: workers, front, script, args, log });
  ends.add(async () => {
    front.close();
    await crew.stop();
  });
  return { port: front.port, pids: () => crew.pids() };
};

/** Starts the service in this process, or in several processes that share one port. When one part fails to start, all are closed. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, host, workers, progress, log } = options;
  const { dataFolder, databaseUrl } = config;
  const ends = createCloseStack();
  try {
    await prepareDataFolder(dataFolder, log);
    progress(databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const settings = { max_connections: String(CONNECTIONS * (workers + 1)) };
    const database = await openDatabase({ dataFolder, url: databaseUrl, settings, log });
    ends.add(() => database.close());
    // The admin key is created before the workers start: each of them would create one.
    if (config.adminKey === undefined) await ensureAdminKey(dataFolder);
    const demo = options.demo ? { account: DEMO, token: await demoKey(database, config, log) } : {};

    progress(workers === 1 ? "Starting the service" : `Starting ${workers} processes of the service`);
    const begin = workers === 1 ? alone : together;
    const answering = await begin(database, options, ends).catch((error: unknown) =>
      throwPortError(error, "--port", options.port),
    );
    const service = `http://${host.includes(":") ? `[${host}]` : host}:${answering.port}/v2`;
    // Several instances can share a database and a data folder; commands find the first one.
    if (!(await readInstance(dataFolder))) {
      const note = { pid: process.pid, service, app: "", installPage: "", account: demo.account ?? "" };
      ends.add(await announceInstance(dataFolder, note, [dataFolder]));
    }
    return {
      pid: process.pid,
      service,
      get workers() {
        return answering.pids();
      },
      ...demo,
      close: () => ends.close(),
    };
  } catch (error) {
    await ends.close();
    throw error;
  }
}
