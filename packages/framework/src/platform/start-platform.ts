import type { Server } from "node:http";
import type { Database } from "@parley/database";
import type { Log, Metrics } from "@parley/telemetry";
import { hostSettingsOf } from "../environment/config.ts";
import { realHostPorts, type HostPorts } from "../environment/ports.ts";
import { defaultHostSettings, type HostSettings } from "../environment/settings.ts";
import { localAppsUrl } from "../pages/origin.ts";
import type { ServiceAdmin } from "../identity/service-admin.ts";
import { hostRoutes } from "../request/host-maps.ts";
import { admitCode } from "../sandbox/origin.ts";
import { createPublishedPlatform } from "./platform.ts";
import { createRequestRouter } from "./process/router.ts";
import { createPlatformRuntime } from "./process/runtime.ts";
import { openInternalServer, openPlatformServer } from "./process/server.ts";

/** Options of a process of the platform. */
export interface PlatformOptions {
  readonly database: Database;
  /** Folder of the key that encrypts secure parameters, and of copies of packages. */
  readonly dataFolder: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** false: another process passes connections on, by the event "connection" of `server`. */
  readonly listens?: boolean;
  /** Address at which other processes of the platform reach this process; the loopback address when absent. */
  readonly internalHost?: string | undefined;
  /** The service, as this process reaches it. */
  readonly service: ServiceAdmin;
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  /** Scheme and host of all apps in browsers; a name of this machine when absent. */
  readonly appsUrl?: string | undefined;
  /** Origin at which the service reaches the platform; this process when absent. */
  readonly platformUrl?: string | undefined;
  /** The part after the account's name in the host of an account. */
  readonly domainSuffix: string;
  /** Hosts, complete or `*.suffix`, of the service's API that are reached at a local origin. */
  readonly serviceHosts: readonly string[];
  /** Other hosts that are reached at a local origin, by host. */
  readonly maps?: ReadonlyMap<string, string> | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly settings?: Partial<HostSettings>;
  readonly ports?: HostPorts;
  readonly metrics?: Metrics;
  /** Whether the process will stop soon; never when absent. */
  readonly isStopping?: () => boolean;
  readonly log?: Log;
}

/** A process of the platform that serves published apps. */
export interface Platform {
  readonly port: number;
  /** Origin of all apps in browsers. */
  readonly appsOrigin: string;
  readonly server: Server;
  close(): Promise<void>;
}

/**
 * Starts a process of the platform.
 * @errors IsolationMissing; errors of the database, the data folder or the port
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { domainSuffix, service, ports = realHostPorts, log = () => undefined } = options;
  const settings: HostSettings = { ...defaultHostSettings, ...hostSettingsOf(), ...options.settings };
  let { port } = options;
  const appsUrl = () => new URL(options.appsUrl ?? localAppsUrl(port));
  const routes = hostRoutes(new Map(), options.maps, {
    hosts: [`*${domainSuffix}`, ...options.serviceHosts],
    origin: service.origin,
  });
  const runtime = await createPlatformRuntime({
    ...options,
    routes,
    settings,
    ports,
    log,
    targetOrigin: () => appsUrl().origin,
    targetHosts: options.appsUrl === undefined ? [] : [new URL(options.appsUrl).hostname],
    trustProxy: options.trustedProxies && [...options.trustedProxies],
  });
  const closers: (() => Promise<void>)[] = [() => runtime.close()];
  const close = async () => {
    runtime.gate.open();
    for (let next = closers.pop(); next; next = closers.pop()) await next();
  };
  try {
    admitCode(runtime.boundary, "package", log);
    // Requests wait until the platform is complete; the port is part of its addresses.
    runtime.gate.shut();
    const later: { router?: ReturnType<typeof createRequestRouter> } = {};
    const server = await openPlatformServer(
      (request, response) => void runtime.gate.pass().then(() => later.router?.handle(request, response)),
      { port: options.port, host: options.host, listens: options.listens ?? true },
    );
    ({ port } = server);
    const published = await createPublishedPlatform({
      runtime,
      dataFolder: options.dataFolder,
      service,
      serviceOrigin: options.serviceOrigin,
      appsUrl: appsUrl(),
      platformOrigin: () => options.platformUrl ?? `http://127.0.0.1:${port}`,
      isStopping: options.isStopping,
      ports,
      log,
    });
    closers.push(() => published.close());
    const message = "No app is known at this address. Apps have host names of their own.";
    const router = createRequestRouter({
      runtime,
      destinationOf: published.destinationOf({ refusal: { status: 421, message } }),
      events: () => published.receiveEvent,
      log,
    });
    later.router = router;
    const internal = await openInternalServer(router.handleForwarded, options.internalHost);
    closers.push(() => internal.close());
    closers.push(() => server.close());
    await runtime.start(internal.origin);
    runtime.gate.open();
    published.start();
    let closed: Promise<void> | undefined;
    return {
      port,
      appsOrigin: appsUrl().origin,
      server: server.server,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
