import { join } from "node:path";
import { openDatabase } from "@parley/database";
import { startAppHost, type AppHost } from "@parley/framework";
import type { ParleyConfig } from "../config.ts";
import { UsageFailure } from "../failure.ts";
import { startLocalService } from "../world/local-service.ts";
import { prepareDataFolder } from "./data-folder.ts";
import { removeInstance, writeInstance, type Instance } from "./instance.ts";
import { API_KEY, APP_KEY, APP_PERMISSIONS, keptAdminKey, keptKey } from "./keys.ts";

/** The account that a local instance is for. */
export const ACCOUNT = "acme";
/** Hosts of local accounts: `<account>.parley.localhost`. */
export const DOMAIN_SUFFIX = ".parley.localhost";
const LOOPBACK = "127.0.0.1";

export interface Running extends Instance {
  readonly token: string;
  readonly docs: string;
  /** What the app says of its state. */
  readonly appName: string;
  readonly installed: boolean;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly config: ParleyConfig;
  /** Folder of the app. */
  readonly folder: string;
  /** Installs the app with its defaults where it isn't installed yet. */
  readonly install: boolean;
  /** What takes a while, as it begins. */
  readonly progress: (line: string) => void;
  /** What the service, the app host and the app's handlers report while they run. */
  readonly log: (line: string) => void;
}

const portTaken = (error: unknown, name: string, port: number): never => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE")
    throw new UsageFailure(
      `Port ${port} is in use. Stop what uses it, or set ${name} to another port (0: any free one).`,
    );
  if (code === "EACCES")
    throw new UsageFailure(
      `Port ${port} may not be opened by this user. Set ${name} to a port from 1024 on (0: any free one).`,
    );
  throw error;
};

/** Ends what was begun, the newest first; a failing end doesn't keep the others running. */
const closers = () => {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end: () => Promise<void>) => void ends.push(end),
    async close() {
      for (let end = ends.pop(); end; end = ends.pop()) await end().catch(() => undefined);
    },
  };
};

/** The key and the address are the app's to have; everything else is the default of its own iparams. */
async function installWithDefaults(host: AppHost, key: string): Promise<void> {
  const answer = await host.install({ domain: `${ACCOUNT}${DOMAIN_SUFFIX}`, api_key: key });
  if (answer.ok) return;
  const reasons = Object.entries(answer.errors).map(([name, text]) => `${name}: ${text}`);
  throw new UsageFailure(
    `The app can't be installed with its defaults (${[answer.message, ...reasons].filter(Boolean).join("; ")}). ` +
      "Mend config/iparams.json, or start with --no-install and fill in the installation page.",
  );
}

/** Database, service, app host and the app's installation, joined; all of it ends when one can't begin. */
export async function start({ config, folder, install, progress, log }: StartOptions): Promise<Running> {
  const ends = closers();
  try {
    await prepareDataFolder(config.dataFolder);
    progress(config.databaseUrl ? "Connecting to PostgreSQL" : "Starting PostgreSQL");
    const database = await openDatabase({ dataFolder: config.dataFolder, url: config.databaseUrl, log });
    ends.add(() => database.close());

    progress("Starting the service");
    const service = await startLocalService({
      database,
      port: config.servicePort,
      adminKey: await keptAdminKey(config.dataFolder),
      dataFolder: config.dataFolder,
      objectsFolder: join(config.dataFolder, "objects"),
      log,
    }).catch((error: unknown) => portTaken(error, "PARLEY_SERVICE_PORT", config.servicePort));
    ends.add(() => service.close());
    await service.admin.ensureDemo();
    const [token, appKey] = await Promise.all([
      keptKey(service.admin, config.dataFolder, API_KEY, { account: ACCOUNT, name: "local" }),
      keptKey(service.admin, config.dataFolder, APP_KEY, {
        account: ACCOUNT,
        name: "app",
        permissions: APP_PERMISSIONS,
      }),
    ]);

    progress("Starting the app host");
    let eventSecret = "";
    const host = await startAppHost({
      folder,
      database,
      dataFolder: config.dataFolder,
      port: config.appPort,
      hosts: new Map([[`${ACCOUNT}${DOMAIN_SUFFIX}`, { origin: `http://${LOOPBACK}:${service.port}` }]]),
      domainSuffix: DOMAIN_SUFFIX,
      eventSecret: () => eventSecret,
      ports: service.ports,
      log,
    }).catch((error: unknown) => portTaken(error, "PARLEY_APP_PORT", config.appPort));
    ends.add(() => host.close());
    const events = `http://${LOOPBACK}:${host.port}/events`;
    ({ secret: eventSecret } = await service.admin.subscribe({
      account: ACCOUNT,
      name: "app-host",
      kind: "app",
      url: events,
    }));

    const before = await host.installation();
    if (install && !before) {
      progress(`Installing ${host.project().name} on ${ACCOUNT}`);
      await installWithDefaults(host, appKey);
    }

    const app = `http://localhost:${host.port}`;
    const instance: Instance = {
      pid: process.pid,
      service: `http://localhost:${service.port}/v2`,
      app,
      installPage: `${app}/custom_configs`,
      account: ACCOUNT,
    };
    await writeInstance(config.dataFolder, instance);
    ends.add(() => removeInstance(config.dataFolder));
    return {
      ...instance,
      token,
      docs: `http://localhost:${service.port}/docs`,
      appName: host.project().name,
      installed: install || before !== undefined,
      close: () => ends.close(),
    };
  } catch (error) {
    await ends.close();
    throw error;
  }
}

/** Where the key of an instance lies, for people. */
export const apiKeyFile = (config: ParleyConfig) => join(config.dataFolder, API_KEY);
