import type { Socket } from "node:net";
import { joinDatabase, type Database } from "@parley/database";
import { parseHostMap, startPlatform } from "@parley/framework";
import { serviceConfig } from "@parley/service";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { isCommandFailure } from "../environment/failure.ts";
import { ensureAdminKey } from "../instance/keys.ts";
import { DOMAIN_SUFFIX } from "../start/app.ts";
import { acceptConnections, drain, sendToParent } from "./worker.ts";

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Addresses of a platform process and of the service. */
interface PlatformWorkerOptions {
  readonly port: number;
  readonly host: string;
  /** Origin of the service on this machine. */
  readonly localService: string;
  /** Origin of the platform on this machine. */
  readonly localPlatform: string;
  /** Hosts whose requests of apps go to another address of this machine. @shape `host=origin` */
  readonly maps: readonly string[];
}

/** Such a server is reached at any address of the machine: processes on other machines can't know which. */
const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::";

const openPlatform = async (
  config: ParleyConfig,
  database: Database,
  { port, host, localService, localPlatform, maps }: PlatformWorkerOptions,
) => {
  const service = serviceConfig();
  const domainSuffix = service.domain === undefined ? DOMAIN_SUFFIX : `.${service.domain}`;
  return startPlatform({
    database,
    dataFolder: config.dataFolder,
    port,
    host,
    listens: false,
    internalHost: isWildcard(host) ? undefined : host,
    service: {
      origin: config.serviceUrl ?? localService,
      adminKey: config.adminKey ?? (await ensureAdminKey(config.dataFolder)),
    },
    // The links of 'npx parley sign-in' begin with the same origin: its cookies belong to one host name.
    serviceOrigin: service.publicUrl ?? localService,
    appsUrl: config.appsUrl,
    platformUrl: config.platformUrl ?? localPlatform,
    maps: new Map(maps.map(parseHostMap)),
    domainSuffix,
    serviceHosts: [service.outboundHost ?? `outbound${domainSuffix}`],
    trustedProxies: service.trustedProxies,
    log,
  });
};

/** Runs one process of the platform, for connections that the parent accepts. -> the exit status */
export async function runPlatformWorker(options: PlatformWorkerOptions): Promise<number> {
  let database: Database | undefined;
  try {
    const config = parleyConfig();
    database = await joinDatabase({ dataFolder: config.dataFolder, url: config.databaseUrl, log });
    const platform = await openPlatform(config, database, options);
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
