import type { Socket } from "node:net";
import { joinDatabase, type Database } from "@parley/database";
import { startPlatform } from "@parley/framework";
import { serviceConfig } from "@parley/service";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { isCommandFailure } from "../environment/failure.ts";
import { ensureAdminKey } from "../instance/keys.ts";
import { DOMAIN_SUFFIX } from "../start/app.ts";
import { acceptConnections, drain, sendToParent } from "./worker.ts";

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Where a platform process finds the service. @shape servicePort: of the service on this machine */
interface PlatformAddresses {
  readonly port: number;
  readonly host: string;
  readonly servicePort: number;
}

const openPlatform = async (
  config: ParleyConfig,
  database: Database,
  { port, host, servicePort }: PlatformAddresses,
) => {
  const service = serviceConfig();
  const domainSuffix = service.domain === undefined ? DOMAIN_SUFFIX : `.${service.domain}`;
  const localService = `http://127.0.0.1:${servicePort}`;
  return startPlatform({
    database,
    dataFolder: config.dataFolder,
    port,
    host,
    listens: false,
    service: {
      origin: config.serviceUrl ?? localService,
      adminKey: config.adminKey ?? (await ensureAdminKey(config.dataFolder)),
    },
    serviceOrigin: service.publicUrl ?? `http://localhost:${servicePort}`,
    appsUrl: config.appsUrl,
    platformUrl: config.platformUrl,
    domainSuffix,
    serviceHosts: [service.outboundHost ?? `outbound${domainSuffix}`],
    trustedProxies: service.trustedProxies,
    log,
  });
};

/** Runs one process of the platform, for connections that the parent accepts. -> the exit status */
export async function runPlatformWorker(addresses: PlatformAddresses): Promise<number> {
  let database: Database | undefined;
  try {
    const config = parleyConfig();
    database = await joinDatabase({ dataFolder: config.dataFolder, url: config.databaseUrl, log });
    const platform = await openPlatform(config, database, addresses);
    const open = new Set<Socket>();
    await acceptConnections(platform.server, open);
    // Streams of pages end before their connections.
    const closed = platform.close();
    await drain(platform.server, open);
    await closed;
    return 0;
  } catch (error) {
    const isUserError = isCommandFailure(error);
    const { message = String(error), stack = message } = error as Error;
    sendToParent({ type: "failed", text: isUserError ? message : stack, isUserError });
    return 1;
  } finally {
    await database?.close();
  }
}
