import { join } from "node:path";
import type { Database } from "@parley/database";
import { CONSOLE_FOLDER, SIGN_IN_FOLDER } from "@parley/console";
import { appAccountData } from "@parley/framework/operation";
import { PANEL_FOLDER, WIDGET_FILE } from "@parley/messenger";
import { serviceConfig, startService, type MessagingService } from "@parley/service";
import type { Log, Metrics } from "@parley/telemetry";
import type { ParleyConfig } from "../environment/config.ts";
import { useServerOptions } from "../environment/heap.ts";
import { API_KEY, ensureAdminKey, ensureApiKey } from "../instance/keys.ts";

interface ServedOptions {
  readonly database: Database;
  readonly config: ParleyConfig;
  readonly log: Log;
}

interface ListenerOptions extends ServedOptions {
  readonly metrics: Metrics;
  readonly isStopping: () => boolean;
  readonly port: number;
  readonly host: string;
  /** false: connections are passed on by another process. */
  readonly listens: boolean;
  /** Origin of all apps in browsers. */
  readonly appsUrl: string;
  /** Origin at which the service reaches the platform. */
  readonly platformUrl: string;
}

const objectsFolderOf = ({ dataFolder }: ParleyConfig): string => join(dataFolder, "objects");

/** Starts the service in this process, with the settings of the environment. @errors errors of listening on the port */
export const openService = async ({
  config,
  appsUrl,
  platformUrl,
  ...options
}: ListenerOptions): Promise<MessagingService> => {
  useServerOptions();
  const settings = serviceConfig();
  return startService({
    ...options,
    config: { ...settings, appsUrl, events: { ...settings.events, platformUrl } },
    adminKey: config.adminKey ?? (await ensureAdminKey(config.dataFolder)),
    secretsFolder: config.dataFolder,
    accountData: [appAccountData],
    consoleFolder: CONSOLE_FOLDER,
    signInFolder: SIGN_IN_FOLDER,
    messengerFiles: { panelFolder: PANEL_FOLDER, scriptFile: WIDGET_FILE },
    objectsFolder: objectsFolderOf(config),
  });
};

/** The demo account that the API key is issued for. */
const DEMO_ACCOUNT = "acme";

/** Creates the demo accounts and an API key of the first account, through a service that does not listen. */
export async function createDemo({
  database,
  config,
  log,
}: ServedOptions): Promise<{ account: string; token: string }> {
  const objectsFolder = objectsFolderOf(config);
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
    const key = { account: DEMO_ACCOUNT, name: "serve" };
    return { account: DEMO_ACCOUNT, token: await ensureApiKey(service.admin, config.dataFolder, API_KEY, key) };
  } finally {
    await service.close();
  }
}
