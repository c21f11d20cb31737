import type { IncomingMessage } from "node:http";
import { ACCOUNT_NOT_FOUND, CONSOLE_PATH, isRefusal } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import Fastify from "fastify";
import type { HostPorts } from "../environment/ports.ts";
import { createChangeReportSender } from "../identity/change-reports.ts";
import { changeReportStore } from "../identity/change-reports.sql.ts";
import type { ServiceAdmin } from "../identity/service-admin.ts";
import { createSessionVerifier } from "../identity/session-verifier.ts";
import { siteLabel } from "../pages/origin.ts";
import { openPackageCache } from "../publishing/package-cache.ts";
import { createPublisher } from "../publishing/publisher.ts";
import { packageRoutes } from "../publishing/routes.ts";
import { packageStore } from "../publishing/store.ts";
import { eventRoute, EVENTS_PATH } from "../runtime/triggers/service-events.ts";
import { createPageSessions } from "../sign-in/page-sessions.ts";
import { createAuthorizeRow } from "./api/authorize.ts";
import { activityRoutes } from "./activity/routes.ts";
import { healthRoutes } from "./api/health-routes.ts";
import type { AppUnit } from "../unit/app-unit.ts";
import { answerUnknownAddress, answerUnreadableAddress } from "../pages/text-check.ts";
import { refusalErrorHandler } from "./api/serve-rows.ts";
import { createDestinationLookup } from "./request-destination.ts";
import { delegationRules } from "./delegation/delegation.ts";
import { delegatedRequestStore } from "./delegation/store.ts";
import { createInstallationLifecycle, type InstallationLifecycle } from "./lifecycle/lifecycle.ts";
import { folderAppRoutes } from "./folder-apps/routes.ts";
import type { LiveApp } from "./folder-apps/folder-apps.ts";
import { installationRoutes } from "./lifecycle/routes.ts";
import { createPlatformServiceClient } from "./lifecycle/service-client.ts";
import { createInstallationSubscriptions } from "./lifecycle/subscriptions.ts";
import { publishedConsoleApps } from "./places/published-apps.ts";
import type { ListConsoleApps } from "./places/console-app.ts";
import { placesRoute } from "./places/routes.ts";
import type { UnitEventHandler, RequestDestination } from "./process/router.ts";
import type { PlatformRuntime } from "./process/runtime.ts";
import { createAgentPageAccess } from "./lifecycle/agent-page-access.ts";
import { createPublishedUnit, siteOriginOf, type PublishedUnitDeps } from "./published/create-unit.ts";
import { createPublishedUnits } from "./published/published-units.ts";
import { publishedInstallationStore } from "./published/store.ts";

interface PublishedPlatformOptions {
  readonly runtime: PlatformRuntime;
  readonly dataFolder: string;
  /** The service, as this process reaches it. */
  readonly service: ServiceAdmin;
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  /** Scheme and host of all apps in browsers. */
  readonly appsUrl: URL;
  /** Origin at which the service reaches the platform. */
  readonly platformOrigin: () => string;
  /** Apps of an account that this process reads from folders. */
  readonly liveConsoleApps?: ListConsoleApps;
  /** The same with their units, those of other hosts of this process included. */
  readonly liveApps?: () => readonly LiveApp[];
  /** Whether the process will stop soon; never when absent. */
  readonly isStopping?: (() => boolean) | undefined;
  readonly ports: HostPorts;
  readonly log: Log;
}

/** Published apps on a platform process. */
interface PublishedPlatform {
  readonly lifecycle: InstallationLifecycle;
  /** Receives the events of installations. */
  readonly receiveEvent: UnitEventHandler;
  /** Finds what answers a request. @shape fallback: what answers requests that belong to no published app */
  destinationOf(fallback: RequestDestination): (request: IncomingMessage) => Promise<RequestDestination>;
  /** Completes interrupted work, such as subscriptions that the service has not confirmed. */
  start(): void;
  close(): Promise<void>;
}

/** Interval of the completion of interrupted changes, and of the check for units without use. @units milliseconds */
const MAINTENANCE_INTERVAL_MS = 30_000;
/** @units milliseconds */
const UNIT_IDLE_MS = 600_000;
/** Lifetime of the answer whether an account exists. @units milliseconds */
const ACCOUNT_TTL_MS = 10_000;

/** Serves published apps on a platform process: their catalogue, their installations and their sites. */
export async function createPublishedPlatform(options: PublishedPlatformOptions): Promise<PublishedPlatform> {
  const { runtime, service: serviceAdmin, appsUrl, ports, log } = options;
  const { shared, pool, vault, boundary } = runtime;
  const { domainSuffix } = shared;
  const { adminKey } = serviceAdmin;
  const packages = packageStore(pool);
  const cache = await openPackageCache({ folder: options.dataFolder, store: packages, ports });
  const stopping = new AbortController();
  const publisher = await createPublisher({
    store: packages,
    dataFolder: options.dataFolder,
    boundary,
    domainSuffix,
    ports,
    log,
    shutdownSignal: stopping.signal,
  });
  const versions = {
    project: async (app: string, version: string) => (await cache.version(app, version))?.project,
    newest: packages.newestVersion,
    isOffered: async (app: string, account: string, version: string) =>
      (await packages.newestVersion(app, account)) !== undefined &&
      (await packages.version(app, version)) !== undefined,
  };
  const service = createPlatformServiceClient(serviceAdmin);
  const known = new Map<string, number>();
  const accountExists = async (name: string): Promise<boolean> => {
    if ((known.get(name) ?? -Infinity) > performance.now()) return true;
    try {
      await service.requireAccount(name);
    } catch (error) {
      if (isRefusal(error) && error.problem.status === ACCOUNT_NOT_FOUND.status) return false;
      throw error;
    }
    known.set(name, performance.now() + ACCOUNT_TTL_MS);
    return true;
  };

  const pageOf = (app: string, account: string): string => `${siteOriginOf(appsUrl, app, account)}/custom_configs`;
  const store = publishedInstallationStore(pool, runtime.locks);
  const reports = createChangeReportSender({ store: changeReportStore(pool), service: serviceAdmin, log });
  const subscriptions = createInstallationSubscriptions({
    store,
    versions,
    service,
    vault,
    platformOrigin: options.platformOrigin,
    log,
  });
  const { monotonicMs } = ports;
  const verify = createSessionVerifier(serviceAdmin, { proof: "session", monotonicMs, log });
  const sessions = createPageSessions({ vault, service: serviceAdmin, verify, random: ports.random });
  const unitDeps: PublishedUnitDeps = {
    shared,
    appsUrl,
    serviceOrigin: options.serviceOrigin,
    sessions,
    adminKey,
    agentPageAccessOf: createAgentPageAccess({ service, serviceOrigin: serviceAdmin.origin }),
    async changed(owner) {
      reports.wake();
      await subscriptions.complete(owner);
      // The processes of a replaced version end.
      await units.open(owner);
    },
    keysOf: (account) => ({
      create: (key) => service.createKey(account, key),
      revoke: (id) => service.revokeKey(id),
    }),
    versionsOf: (owner) => ({
      newest: () => versions.newest(owner.project, owner.account),
      previous: async () => (await store.find(owner))?.previous_version ?? undefined,
      project: (version) => versions.project(owner.project, version),
      rollBack: async (author) => void (await lifecycle.rollBack(owner.account, owner.project, author)),
    }),
  };
  const units = createPublishedUnits({
    store,
    versions,
    createUnit: (owner, version, project) => createPublishedUnit(unitDeps, owner, version, project),
    log,
  });
  runtime.servePublished(units);
  const lifecycle = createInstallationLifecycle({
    ...ports,
    store,
    units,
    versions,
    service,
    subscriptions,
    domainSuffix,
    pageOf,
    changed: () => reports.wake(),
  });

  const authorize = createAuthorizeRow({
    adminKey,
    delegation: delegationRules({ adminKey, store: delegatedRequestStore(pool), now: ports.now }),
  });
  // The length of a part of a path that the service passes on.
  const routerOptions = { maxParamLength: 1_024 };
  const routes = Fastify({
    trustProxy: shared.trustProxy ?? false,
    routerOptions,
    frameworkErrors: answerUnreadableAddress,
  });
  routes.setNotFoundHandler(answerUnknownAddress);
  routes.setErrorHandler(refusalErrorHandler(log));
  packageRoutes(routes, {
    publisher,
    store: packages,
    ports,
    authorize,
    accountExists,
    pageOf: (app, account) => (siteLabel(app, account) === undefined ? undefined : pageOf(app, account)),
    published: () => reports.wake(),
    log,
  });
  installationRoutes(routes, lifecycle, authorize);
  const liveApps = options.liveApps ?? (() => []);
  folderAppRoutes(routes, { pool, liveApps, domainSuffix, accountExists, authorize });
  activityRoutes(routes, {
    pool,
    store,
    units,
    runtime,
    liveApps,
    reported: () => reports.wake(),
    newId: ports.newId,
    adminKey,
    siteHostOf: ({ project, account }) => new URL(siteOriginOf(appsUrl, project, account)).host,
    now: ports.now,
    authorize,
  });
  const publishedApps = publishedConsoleApps({
    store,
    versions,
    originOf: (app, account) => siteOriginOf(appsUrl, app, account),
  });
  await placesRoute(routes, {
    list: async (account) => [...((await options.liveConsoleApps?.(account)) ?? []), ...(await publishedApps(account))],
    adminKey,
    authorize,
    now: ports.now,
    log,
  });
  healthRoutes(routes, {
    isRegistered: () => runtime.leases.isRegistered(),
    isStopping: options.isStopping ?? (() => false),
  });
  // The console shows the apps of an account.
  for (const path of ["/", "/catalogue"])
    routes.get(path, async (_request, reply) =>
      reply.redirect(`${options.serviceOrigin}${CONSOLE_PATH}/admin/apps`, 302),
    );
  /** The router has found the unit of an event. */
  const unitsOfEvents = new WeakMap<IncomingMessage, AppUnit>();
  eventRoute(routes, `${EVENTS_PATH}/:id`, {
    receiverOf({ params, raw }) {
      const { id } = params as { readonly id: string };
      const unit = unitsOfEvents.get(raw);
      if (!unit) return undefined;
      return {
        ...unit.engine,
        secret: () => subscriptions.secretsOf(id)[0] ?? "",
        earlierSecrets: () => subscriptions.secretsOf(id).slice(1),
        onEvent: (event) => unit.conversations.receiveEvent(event),
      };
    },
    now: ports.now,
    log,
  });
  await routes.ready();
  let timer: NodeJS.Timeout | undefined;
  const maintain = () => {
    reports.wake();
    const work = Promise.all([subscriptions.synchroniseAll(), units.closeIdle(UNIT_IDLE_MS)]);
    work.catch((error: unknown) =>
      log(`Installations could not be brought up to date: ${failureText(error)}`, { level: "error" }),
    );
  };

  return {
    lifecycle,
    receiveEvent(unit, request, response) {
      unitsOfEvents.set(request, unit);
      routes.routing(request, response);
    },
    destinationOf: (fallback) =>
      createDestinationLookup({
        units,
        store,
        appsHost: appsUrl.host,
        accountExists,
        platformRoutes: (request, response) => routes.routing(request, response),
        fallback,
      }),
    start() {
      maintain();
      timer = setInterval(maintain, MAINTENANCE_INTERVAL_MS).unref();
    },
    async close() {
      clearInterval(timer);
      stopping.abort();
      await routes.close();
      await reports.close();
    },
  };
}
