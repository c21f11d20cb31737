import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { migrate, openVault } from "@parley/database";
import { ACCEPT_QUEUE_LENGTH, boundConnections, requestTimeouts } from "@parley/ingress";
import Fastify, { type FastifyError } from "fastify";
import { logUnsetSettings } from "../installation/app-settings.ts";
import { builtText } from "../environment/assets.ts";
import { ownAccountValues } from "../installation/workflow/install.ts";
import { controlRoutes } from "../control/routes.ts";
import { APP_MIGRATIONS, APP_SCHEMA } from "../db/migrations.ts";
import { coverageMeter } from "../package/code-coverage/coverage-meter.ts";
import { createBundler } from "../package/bundler/bundler.ts";
import { ensureDependencies } from "../package/dependencies/dependencies.ts";
import { createAppEngine } from "./engine.ts";
import { eventRoute } from "../runtime/events/route.ts";
import { appFiles, pageScripts } from "../front/files.ts";
import { openConversationSource } from "../front/sample-conversations.ts";
import { isFrameHost, isOpenToFrames } from "../front/origin.ts";
import { frontPage } from "../front/page.ts";
import { createAppChangeReports } from "../identity/app-change-reports.ts";
import { signedInAgentOf } from "../identity/page-session.ts";
import { createSessionVerifier } from "../identity/session-verifier.ts";
import type { AppHost, AppHostOptions, InstallOutcome } from "./app-host.ts";
import { isOurHost } from "../pages/page-guard.ts";
import { installPage } from "../installation/page/page.ts";
import { hostSettingsOf, secretsKey } from "../environment/config.ts";
import { createInvocationLog } from "../runtime/invocations/invocation-log.ts";
import { invocationStore } from "../runtime/invocations/store.ts";
import { oauthRoutes } from "../request/oauth/routes.ts";
import { realHostPorts } from "../environment/ports.ts";
import { liveProject } from "../package/live/live-project.ts";
import { hostRoutes } from "../request/host-maps.ts";
import { readJsonBodies } from "../values/reserved-names.ts";
import { keyPermissions, hasKeyParameter } from "../request/key-permissions.ts";
import { createInspector } from "../runtime/process/inspect.ts";
import { createLauncher } from "../runtime/process/process-link.ts";
import { findBoundary } from "../sandbox/boundary.ts";
import { admitCode, CoverageUnavailable } from "../sandbox/origin.ts";
import { appLog } from "../runtime/process/log.ts";
import { requireSignIn } from "../sign-in/gate.ts";
import { simulationPage } from "../simulation/page.ts";
import { defaultHostSettings, type HostSettings } from "../environment/settings.ts";
import { targetRoute, TARGETS_PATH } from "../runtime/targets/route.ts";

/** Holds requests while it is closed. */
interface TrafficGate {
  pass(): Promise<void>;
  shut(): void;
  open(): void;
  readonly isShut: () => boolean;
}

const createTrafficGate = (): TrafficGate => {
  let closed: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  return {
    async pass() {
      while (closed) await closed.opened;
    },
    shut() {
      if (closed) return;
      let open = () => undefined as void;
      const opened = new Promise<void>((resolve) => (open = resolve));
      closed = { opened, open };
    },
    open() {
      const before = closed;
      closed = undefined;
      before?.open();
    },
    isShut: () => closed !== undefined,
  };
};

const LOOPBACK = "127.0.0.1";
/** Maximum time that a close waits for handlers. @units milliseconds */
const DRAIN = 2_000;
/** @units bytes */
const TOKEN_BYTES = 24;

/**
 * Starts the host of one app on the loopback address.
 * @errors ProjectUnusable, MapUnusable, IsolationMissing, CoverageUnavailable; errors of the database, the data folder or the port
 */
export async function startAppHost(options: AppHostOptions): Promise<AppHost> {
  const { database, domainSuffix, folder, ports = realHostPorts, log = () => undefined } = options;
  // Validated first: the maps are user input.
  const ways = hostRoutes(options.hosts, options.maps);
  const settings: HostSettings = { ...defaultHostSettings, ...hostSettingsOf(), ...options.settings };
  const confined = async () => {
    const boundary = options.boundary ?? (await findBoundary());
    const bundler = createBundler(boundary);
    // Runs while the data is prepared.
    bundler.warm(folder);
    return { boundary, bundler };
  };
  const [vault, program, { boundary, bundler }] = await Promise.all([
    openVault(options.dataFolder, ports.random, secretsKey()),
    builtText("child.cjs"),
    confined(),
    migrate(database, APP_SCHEMA, APP_MIGRATIONS),
  ]);
  admitCode(boundary, options.origin ?? "package", log);
  if (options.isCoverageMeasured && !boundary.isStrong) throw new CoverageUnavailable();
  const launch = createLauncher(boundary, options.isCoverageMeasured);
  const coverage = options.isCoverageMeasured ? coverageMeter({ folder, now: realHostPorts.now, log }) : undefined;
  const inspect = createInspector({
    launch,
    program,
    settings,
    log: appLog("app", log, settings.maxLogLinesPerSecond),
  });
  const live = await liveProject({
    folder,
    tools: { inspect, bundler },
    prepare: () => ensureDependencies(boundary, folder, log),
    log,
  }).catch((error: unknown) => {
    bundler.close();
    throw error;
  });
  const newest = () => live.newest();
  const project = () => newest().project;
  const pool = database.pool(APP_SCHEMA);
  const invocations = createInvocationLog({
    store: invocationStore(pool),
    project: project().name,
    maxInvocations: settings.maxInvocations,
    log,
  });
  const http = requestTimeouts();
  const app = Fastify({ forceCloseConnections: "idle", http, requestTimeout: http.requestTimeout });
  boundConnections(app.server);
  readJsonBodies(app);
  const portNow = () => (app.server.address() as AddressInfo).port;
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const works = createAppEngine({
    ...options,
    address: () => publicUrl ?? `http://localhost:${portNow()}`,
    port: portNow,
    routes: ways,
    project,
    pool,
    vault,
    program,
    coverage,
    launch,
    settings,
    ports,
    log,
    record: (invocation) => invocations.record(invocation),
  });
  const install = async (values: Readonly<Record<string, unknown>>): Promise<InstallOutcome> => {
    const answer = await works.install({ values, attributes: {} });
    return answer.ok ? { ok: true } : { ok: false, errors: { ...answer.errors }, message: answer.message };
  };
  const [usualDomain = ""] = options.hosts.keys();
  const appKey = async (): Promise<string | undefined> =>
    hasKeyParameter(project()) ? options.appKey?.(project().name, keyPermissions(project(), domainSuffix)) : undefined;
  const installOnOwn: AppHost["installOnOwn"] = async (iparams) => {
    const apiKey = (await appKey()) ?? (await options.service?.token()) ?? "";
    return install({ ...ownAccountValues(project().iparams, { domain: usualDomain, apiKey }), ...iparams });
  };

  const trafficGate = createTrafficGate();
  const publicNames = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  app.addHook("onRequest", async (request, reply) => {
    await trafficGate.pass();
    const names = request.url.startsWith(`${TARGETS_PATH}/`) ? publicNames : [];
    const isClosed = isFrameHost(request) && !isOpenToFrames(request);
    if (isClosed || !isOurHost(request, names))
      return reply.code(421).send({ message: "This host is not known by that name." });
    return undefined;
  });
  app.setErrorHandler<FastifyError>(async ({ statusCode = 500, message }, { method, routeOptions }, reply) => {
    if (statusCode < 500) return reply.code(statusCode).send({ message });
    log(`error: ${method} ${routeOptions.url ?? ""} failed: ${message}`);
    return reply.code(500).send({ message: "The host failed; its log says why." });
  });
  const { identity, signIn } = options;
  if (signIn && !identity) throw new Error("Pages can need a sign-in only with a service that knows the sessions.");
  if (signIn && identity)
    await requireSignIn(app, {
      ...signIn,
      verify: createSessionVerifier(identity, { log }),
      account: identity.account,
      app: () => project().name,
      random: ports.random,
    });
  const reports = identity && createAppChangeReports(identity, { log });
  const conversations = openConversationSource(options.service, project);
  eventRoute(app, { ...works, secret: options.eventSecret, now: ports.now, onEvent: conversations.receiveEvent, log });
  targetRoute(app, { ...works, project, settings, now: ports.now, log });
  oauthRoutes(app, { ...works.oauth, ...ports, project, port: portNow });
  const scripts = pageScripts(bundler, project, log);
  appFiles(app, project, scripts);
  const newToken = () => ports.random(TOKEN_BYTES).toString("base64url");
  frontPage(app, { ...works, conversations, scripts, project, newest, newToken, log });
  installPage(app, {
    ...works,
    ...works.requests,
    connections: works.oauth.connections,
    loaded: newest,
    domainSuffix,
    usualDomain,
    newToken,
    changed: (request, action, members) =>
      reports?.report({
        action,
        app: project().name,
        agent: signedInAgentOf(request),
        address: request.ip,
        members,
      }),
  });

  const raised = { ...works, project, invocations, now: ports.now, usualDomain };
  if (options.hasSimulationPage) simulationPage(app, { ...raised, newest, newToken });
  if (options.adminKey !== undefined)
    controlRoutes(app, {
      ...raised,
      adminKey: options.adminKey,
      install: installOnOwn,
      uninstall: works.uninstall,
      activity: async () => ({
        events: (await options.eventsToCome?.()) ?? 0,
        schedules: await works.isScheduleDue(),
      }),
    });

  const renew = () => {
    if (!trafficGate.isShut()) works.renew();
  };
  const renewKey = () =>
    appKey().catch((error: unknown) => log(`error: The app's key could not be renewed: ${String(error)}`));
  const end = async () => {
    trafficGate.open();
    await live.close();
    bundler.close();
    const drained = app.close();
    await Promise.race([drained, setTimeout(DRAIN, undefined, { ref: false })]);
    await works.close();
    // A browser keeps a connection alive whose response was sent after the close.
    app.server.closeAllConnections();
    await drained;
    await invocations.written();
    await coverage?.written();
    await reports?.close();
    await pool.end();
  };
  try {
    await app.listen({ port: options.port, host: LOOPBACK, backlog: ACCEPT_QUEUE_LENGTH });
    await appKey();
    await live.follow(() => {
      renew();
      if (!trafficGate.isShut()) void renewKey();
    });
    logUnsetSettings(await works.appSettings.list(), project().name, log);
    renew();
  } catch (error) {
    await end();
    throw error;
  }

  const port = portNow();
  let closed: Promise<void> | undefined;
  return {
    url: `http://${LOOPBACK}:${port}`,
    port,
    project,
    installation: () => works.installations.find(),
    install,
    installOnOwn,
    uninstall: works.uninstall,
    async pause() {
      trafficGate.shut();
      await works.stop();
      await invocations.written();
    },
    async resume() {
      await renewKey();
      conversations.clearCache();
      trafficGate.open();
      renew();
    },
    close: () => (closed ??= end()),
  };
}
