import { CONSOLE_PATH, refuse, UNAUTHENTICATED } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import { isOurHost } from "../../pages/page-guard.ts";
import { logUnsetSettings } from "../../state/app-settings.ts";
import { accountNameOf } from "../../state/installations.ts";
import { ownAccountValues } from "../../installation/workflow/install.ts";
import { coverageMeter } from "../../package/code-coverage/coverage-meter.ts";
import { ensureDependencies } from "../../package/dependencies/dependencies.ts";
import { liveProject } from "../../package/live-project.ts";
import { liveSiteAddress, localAppsUrl, RAISE_EVENTS } from "../../pages/origin.ts";
import { hostSettingsOf } from "../../environment/config.ts";
import { realHostPorts, type HostPorts } from "../../environment/ports.ts";
import { defaultHostSettings, type HostSettings } from "../../environment/settings.ts";
import { createChangeReportSender } from "../../identity/change-reports.ts";
import { changeReportStore } from "../../identity/change-reports.sql.ts";
import { signedInAgentOf } from "../../identity/page-session.ts";
import type { IdentityService } from "../../identity/service-admin.ts";
import type { PageKeys } from "../../installation/page/routes/created-keys.ts";
import { createPlatformServiceClient } from "../lifecycle/service-client.ts";
import { createSessionVerifier } from "../../identity/session-verifier.ts";
import { createPlatformRuntime, type PlatformRuntime } from "../process/runtime.ts";
import { consoleAppOf, type ListConsoleApps } from "../places/console-app.ts";
import { placesRoute } from "../places/routes.ts";
import type { LiveApp } from "../folder-apps/folder-apps.ts";
import { createPublishedPlatform } from "../platform.ts";
import { createRequestRouter, type UnitEventHandler } from "../process/router.ts";
import { openInternalServer, openPlatformServer } from "../process/server.ts";
import { hostRoutes } from "../../request/host-maps.ts";
import { keyPermissions, hasKeyParameter } from "../../package/validate/key-permissions.ts";
import { eventRoute, EVENTS_PATH } from "../../runtime/triggers/service-events.ts";
import { createInspector } from "../../runtime/process/inspect.ts";
import { appLog } from "../../runtime/process/log.ts";
import { admitCode, CoverageUnavailable } from "../../sandbox/origin.ts";
import { acceptEmbeddedSessions } from "../../sign-in/embedded-gate.ts";
import { requireSignIn } from "../../sign-in/gate.ts";
import { createPageSessions } from "../../sign-in/page-sessions.ts";
import type { AppEngine } from "../../unit/engine.ts";
import { createAppUnit } from "../../unit/app-unit.ts";
import type { AppHost, AppHostOptions, InstallOutcome } from "./app-host.ts";

const LOOPBACK = "127.0.0.1";
/** @units bytes */
const TOKEN_BYTES = 24;

/** Creates keys of the account of this host, for its installation page. */
const accountKeys = (identity: IdentityService, isOpenWithoutSession: boolean): PageKeys => {
  const service = createPlatformServiceClient(identity);
  return {
    create: (key) => service.createKey(identity.account, key),
    revoke: (id) => service.revokeKey(id),
    isOpenWithoutSession,
  };
};

/** Sessions of the page that the console embeds. */
const embeddedSessions = (
  { vault }: Pick<PlatformRuntime, "vault">,
  service: IdentityService,
  { random, monotonicMs }: HostPorts,
  log: Log,
) => {
  const verify = createSessionVerifier(service, { proof: "session", monotonicMs, log });
  return createPageSessions({ vault, service, random, verify });
};

/**
 * Starts a platform with one app that is read live from a folder, on the loopback address.
 * @errors ProjectUnusable, MapUnusable, IsolationMissing, CoverageUnavailable; errors of the database, the data folder or the port
 */
export async function startAppHost(options: AppHostOptions): Promise<AppHost> {
  const { domainSuffix, folder, ports = realHostPorts, log = () => undefined, identity, signIn } = options;
  // Validated first: the maps are user input.
  const routes = hostRoutes(options.hosts, options.maps);
  if (signIn && !identity) throw new Error("Pages can need a sign-in only with a service that knows the sessions.");
  const settings: HostSettings = { ...defaultHostSettings, ...hostSettingsOf(), ...options.settings };
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  let port = 0;
  let startPublished = (): void => undefined;
  const siteOrigin = () => `http://localhost:${port}`;
  const runtime = await createPlatformRuntime({
    ...options,
    routes,
    settings,
    ports,
    log,
    targetOrigin: () => publicUrl ?? siteOrigin(),
    targetHosts: publicUrl === undefined ? [] : [new URL(publicUrl).hostname],
    warm: (bundler) => bundler.warm(folder),
  });
  const { boundary, shared, program } = runtime;
  const [accountDomain = ""] = options.hosts.keys();
  const account = { name: accountNameOf(accountDomain, domainSuffix), domain: accountDomain };
  const closers: (() => Promise<void>)[] = [() => runtime.close()];
  const close = async () => {
    runtime.gate.open();
    for (let next = closers.pop(); next; next = closers.pop()) await next();
  };
  try {
    admitCode(boundary, options.origin ?? "package", log);
    if (options.isCoverageMeasured && !boundary.isStrong) throw new CoverageUnavailable();
    const coverage = options.isCoverageMeasured ? coverageMeter({ folder, now: realHostPorts.now, log }) : undefined;
    if (coverage) closers.unshift(() => coverage.written());
    const inspect = createInspector({
      launch: runtime.launch,
      program,
      settings,
      log: appLog("app", log, settings.maxLogLinesPerSecond),
    });
    const live = await liveProject({
      folder,
      tools: { inspect, bundler: shared.bundler },
      prepare: () => ensureDependencies(boundary, folder, log),
      log,
    });
    closers.push(() => live.close());
    const project = () => live.newest().project;
    const appKey = async (): Promise<string | undefined> =>
      hasKeyParameter(project())
        ? options.appKey?.(project().name, keyPermissions(project(), domainSuffix))
        : undefined;
    const install = async (engine: AppEngine, values: Readonly<Record<string, unknown>>): Promise<InstallOutcome> => {
      const answer = await engine.install({ values, attributes: {} });
      return answer.ok ? { ok: true } : { ok: false, errors: { ...answer.errors }, message: answer.message };
    };
    const installOnOwn = async (engine: AppEngine, iparams?: Readonly<Record<string, unknown>>) => {
      const apiKey = (await appKey()) ?? (await options.service?.token()) ?? "";
      return install(engine, {
        ...ownAccountValues(project().iparams, { domain: account.domain, apiKey }),
        ...iparams,
      });
    };
    const reports =
      identity && createChangeReportSender({ store: changeReportStore(shared.pool), service: identity, log });
    if (reports) closers.push(() => reports.close());
    const pageSecret = ports.random(TOKEN_BYTES).toString("base64url");
    const { consoleOrigins } = options;
    const address = liveSiteAddress(() => project().name, consoleOrigins);
    const unit = createAppUnit(shared, {
      newest: () => live.newest(),
      account,
      coverage,
      address,
      siteOrigin,
      isOwnHost: (request) => isOurHost(request, []),
      service: options.service,
      pageSecret: () => pageSecret,
      embedded:
        identity &&
        consoleOrigins &&
        ((site) =>
          acceptEmbeddedSessions(site, {
            sessions: embeddedSessions(runtime, identity, ports, log),
            site: address,
            account: identity.account,
          })),
      signIn:
        signIn &&
        identity &&
        ((site) =>
          requireSignIn(site, {
            ...signIn,
            verify: createSessionVerifier(identity, { monotonicMs: ports.monotonicMs, log }),
            account: identity.account,
            app: () => project().name,
            site: address,
            random: ports.random,
          })),
      ...(reports && {
        authorOf: (request) => ({ agent: signedInAgentOf(request), address: request.ip }),
        changed: async () => reports.wake(),
      }),
      ...(identity && { keys: accountKeys(identity, signIn === undefined) }),
      adminKey: options.adminKey,
      installForAuthor: installOnOwn,
      eventsToCome: options.eventsToCome,
      more: async (site, { engine, conversations }) => {
        const [consoleOrigin] = consoleOrigins ?? [];
        if (consoleOrigin !== undefined)
          site.get(RAISE_EVENTS, async (_request, reply) =>
            reply.redirect(
              `${consoleOrigin}${CONSOLE_PATH}/admin/apps/${encodeURIComponent(engine.owner.project)}`,
              302,
            ),
          );
        eventRoute(site, EVENTS_PATH, {
          receiverOf: () => ({ ...engine, secret: options.eventSecret, onEvent: conversations.receiveEvent }),
          now: ports.now,
          log,
        });
        if (!identity) return;
        const { adminKey } = identity;
        await placesRoute(site, {
          list: liveConsoleApps,
          adminKey,
          authorize: async () => refuse(UNAUTHENTICATED),
          now: ports.now,
          log,
        });
      },
    });
    const { engine } = unit;
    runtime.addLive(unit);
    /** The app in the form in which the console lists it, while it is installed. */
    const liveConsoleApps: ListConsoleApps = async (name) => {
      const installation = name === account.name && consoleOrigins ? await engine.installations.find() : undefined;
      if (installation?.state !== "active") return [];
      return [(await consoleAppOf(project(), address.originAt(port))) ?? []].flat();
    };
    const liveApp = (): LiveApp => ({
      unit,
      page: `${siteOrigin()}/custom_configs`,
      eventsUrl: `http://${LOOPBACK}:${port}${EVENTS_PATH}`,
    });
    let receiveEvent: UnitEventHandler | undefined;
    let destinationOf: Parameters<typeof createRequestRouter>[0]["destinationOf"] = () => Promise.resolve({ unit });
    const router = createRequestRouter({
      runtime,
      destinationOf: (request) => destinationOf(request),
      events: () => receiveEvent,
      log,
    });
    const internal = await openInternalServer(router.handleForwarded);
    closers.push(() => internal.close());
    const server = await openPlatformServer(router.handle, { port: options.port, host: LOOPBACK });
    // Before the server: pages that stream end their streams.
    closers.push(
      () => server.close(),
      () => unit.closeSite(),
    );
    port = server.port;
    if (options.published && identity) {
      const { serviceOrigin, appsUrl = localAppsUrl(port) } = options.published;
      const published = await createPublishedPlatform({
        runtime,
        dataFolder: options.dataFolder,
        service: identity,
        serviceOrigin,
        appsUrl: new URL(appsUrl),
        liveConsoleApps,
        liveApps: () => [liveApp(), ...(options.otherLiveApps?.() ?? [])],
        platformOrigin: () => `http://${LOOPBACK}:${port}`,
        ports,
        log,
      });
      closers.push(() => published.close());
      destinationOf = published.destinationOf({ unit });
      ({ receiveEvent } = published);
      startPublished = () => published.start();
    }

    const renewKey = () =>
      appKey().catch((error: unknown) =>
        log(`The app's key could not be renewed: ${failureText(error)}`, { level: "error" }),
      );
    const renew = () => {
      if (!runtime.gate.isShut()) engine.renew();
    };
    await appKey();
    await runtime.start(internal.origin);
    startPublished();
    await live.follow(() => {
      renew();
      if (!runtime.gate.isShut()) void renewKey();
    });
    logUnsetSettings(await engine.appSettings.list(), project().name, log);
    renew();

    let closed: Promise<void> | undefined;
    return {
      url: `http://${LOOPBACK}:${port}`,
      port,
      project,
      liveApp,
      installation: () => engine.installations.find(),
      install: (values) => install(engine, values),
      installOnOwn: (iparams) => installOnOwn(engine, iparams),
      uninstall: engine.uninstall,
      pause: () => runtime.pause(),
      async resume() {
        await renewKey();
        unit.conversations.clearCache();
        await runtime.resume();
        renew();
      },
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
