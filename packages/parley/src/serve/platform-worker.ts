import { parseHostMap, startPlatform } from "@parley/framework";
import { serviceConfig } from "@parley/service/config";
import { ensureAdminKey } from "../instance/keys.ts";
import { DOMAIN_SUFFIX } from "../start/app.ts";
import { runWorkerPart, type WorkerContext } from "./worker.ts";

/** Addresses of a platform process and of the service. */
interface PlatformWorkerOptions {
  readonly port: number;
  readonly host: string;
  /** Origin of the service on this machine. */
  readonly localService: string;
  /** Origin of the service's pages on this machine: that which a start prints. */
  readonly namedService: string;
  /** Origin of the platform on this machine. */
  readonly localPlatform: string;
  /** Hosts whose requests of apps go to another address of this machine. @shape `host=origin` */
  readonly maps: readonly string[];
}

/** Such a server is reached at any address of the machine: processes on other machines can't know which. */
const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::";

const openPlatform = async (
  { config, database, metrics, isStopping, log }: WorkerContext,
  { port, host, localService, namedService, localPlatform, maps }: PlatformWorkerOptions,
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
    serviceOrigin: service.publicUrl ?? namedService,
    appsUrl: config.appsUrl,
    platformUrl: config.platformUrl ?? localPlatform,
    maps: new Map(maps.map(parseHostMap)),
    domainSuffix,
    serviceHosts: [service.outboundHost ?? `outbound${domainSuffix}`],
    trustedProxies: service.trustedProxies,
    metrics,
    isStopping,
    log,
  });
};

/** Runs one process of the platform. -> the exit status */
export const runPlatformWorker = (options: PlatformWorkerOptions, number: number): Promise<number> =>
  runWorkerPart({
    name: `platform-${number}`,
    closesFirst: true,
    open: (context) => openPlatform(context, options),
  });
