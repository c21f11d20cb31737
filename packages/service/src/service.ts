import { CONVERSATION_PAGES, createPageAddressOf, isLocalHost, urlOf } from "@parley/contract";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { migrate, type Database } from "@parley/database";
import { ACCEPT_QUEUE_LENGTH, type RequestTimeouts } from "@parley/ingress";
import { NO_METRICS, openMetricsScope, type Log, type Metrics } from "@parley/telemetry";
import type { AccountDataOwner } from "./operations/account-lifecycle/account-data.ts";
import { createAdminApi, type AdminApi } from "./operations/admin/admin.ts";
import { composeAdmin } from "./operations/admin-composition.ts";
import { composeService } from "./composition-root.ts";
import type { ConsoleDeps } from "./console/console-composition.ts";
import { createCallAllowance, IDLE_LEASE_CHECK_INTERVAL_MS } from "./identity/allowance/allowance.ts";
import { createFailedAuthenticationLimit } from "./identity/allowance/failed-authentication.ts";
import { allowanceStore } from "./identity/allowance/store.ts";
import { serviceConfig, type ServiceConfig } from "./operations/configuration/config.ts";
import { conversationNumberStore } from "./messaging/conversations/store.ts";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./base/db/migrations.ts";
import { endPools, openPools } from "./base/db/pools.ts";
import { dispatchRulesOf, type DispatchRules } from "./events/dispatch/index.ts";
import { healthCheck } from "./base/health/health.ts";
import { drain, createHttpServer } from "./identity/edge/http-server.ts";
import { createAdmission } from "./identity/edge/admission.ts";
import { createHostCheck, createOriginOf, hostRules } from "./identity/edge/host.ts";
import { createSessionAdmission } from "./identity/edge/session-admission.ts";
import { createSessionLimit } from "./identity/allowance/session-limit.ts";
import { consoleMount } from "./console/pages/mount.ts";
import { consolePagesMount, noConsoleMount } from "./console/pages/pages.ts";
import { identityMount } from "./identity/sign-in/mount.ts";
import { providerSignInMount } from "./identity/sign-in/oidc-mount.ts";
import type { ServedAddress } from "./identity/edge/method-not-allowed.ts";
import { pageTicketMount } from "./identity/sign-in/page-ticket-mount.ts";
import { signInPagesMount } from "./identity/sign-in/pages.ts";
import type { EarlyRefusal } from "./identity/edge/kernel.ts";
import type { ObserveReply } from "./identity/edge/send-error.ts";
import type { ObjectStore } from "./base/objects/object-store.ts";
import { realPorts, type Ports } from "./base/environment/ports.ts";
import type { SearchIndexRules } from "./console/search/projection.ts";
import type { StreamRules } from "./events/stream/stream-rules.ts";
import type { PasswordHashing } from "./identity/authentication/credentials/passwords.ts";
import { createFindCaller } from "./identity/authentication/tokens/callers.ts";
import { reportBatches, reportPools } from "./base/telemetry/process-metrics.ts";
import { apiTokenStore } from "./identity/authentication/tokens/store.ts";

export interface MessagingService {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: AdminApi;
  /** Every address that is answered, for tests of what is reachable. */
  addresses(): readonly ServedAddress[];
  /** Requests may be emitted on it if another server listens. */
  readonly server: Server;
  /**
   * Accepts no more requests, lets requests in progress end within three seconds, saves the positions of subscriptions, and stops. May be
   * called again.
   * `graceMs`: how long deliveries in progress may delay it; the default of the dispatch rules when absent.
   */
  close(graceMs?: number): Promise<void>;
}

export interface ServiceOptions {
  /** Owned by the caller; it is not closed here. */
  readonly database: Database;
  /** 0: any free port. */
  readonly port: number;
  /** false: another server listens on this port and emits its requests on `server`. */
  readonly listens?: boolean;
  /** The loopback address when absent. */
  readonly host?: string;
  readonly ports?: Ports;
  readonly config?: ServiceConfig;
  /** Enables the endpoints below /admin; without it there are none. */
  readonly adminKey?: string | undefined;
  /** Origin at which the platform of apps is reached, as far as it is known; that of the settings when absent. */
  readonly platformOrigin?: (() => string | undefined) | undefined;
  /** Storage of uploads and reports; a folder when absent. */
  readonly objects?: ObjectStore | undefined;
  /** The folder, unless the settings contain one. */
  readonly objectsFolder?: string | undefined;
  /** Folder of the encryption key of secrets, which is created there unless the settings contain a key. */
  readonly secretsFolder?: string | undefined;
  /** Data of accounts in tables of other components: it is closed, deleted and exported with the account. None when absent. */
  readonly accountData?: readonly AccountDataOwner[];
  /** Folder of the built console. Absent: there are no pages for agents except the sign-in. */
  readonly consoleFolder?: string | undefined;
  /** For local use: webhooks may be sent over plain http to this machine. */
  readonly isLocal?: boolean;
  /** Rules of event delivery; defaults when absent. */
  readonly dispatchRules?: DispatchRules | undefined;
  /** Rules of event streams; defaults when absent. */
  readonly streamRules?: StreamRules | undefined;
  /** Sizes and waits of the search index; defaults when absent. */
  readonly searchRules?: SearchIndexRules | undefined;
  /** true: events are not delivered and remain in the log. */
  readonly isDispatchDisabled?: boolean;
  /** How long a request waits for another request with the same Idempotency-Key; the default when absent. @units milliseconds */
  readonly keyWaitMs?: number | undefined;
  /** How long requests in progress may delay the end; the default when absent. @units milliseconds */
  readonly drainTimeoutMs?: number | undefined;
  /** Computes and checks hashes of passwords; argon2 when absent. */
  readonly passwordHashing?: PasswordHashing | undefined;
  /** Overrides of hosts that pictures of messages and avatars are loaded from, for tests. None when absent. */
  readonly pictureHosts?: ConsoleDeps["pictureHosts"];
  /** Timeouts of incoming requests; defaults when absent. */
  readonly requestTimeouts?: RequestTimeouts | undefined;
  /** Duration from which on a request is logged; the default when absent. @units milliseconds */
  readonly slowRequestMs?: number | undefined;
  /** Refuses a request before any other check. */
  readonly earlyRefusal?: EarlyRefusal | undefined;
  /** Called for every reply. */
  readonly observe?: ObserveReply | undefined;
  /** Whether the process will stop soon, so that load balancers are to send no more requests; never when absent. */
  readonly isStopping?: () => boolean;
  /** None when absent. */
  readonly metrics?: Metrics;
  readonly log?: Log;
}

const LOOPBACK = "127.0.0.1";

/** Migrates the schema, serves the API and delivers events. @errors the error of listening on the port */
export async function startService(options: ServiceOptions): Promise<MessagingService> {
  const {
    database,
    host = LOOPBACK,
    ports = realPorts,
    config = serviceConfig(),
    log = (message: string) => console.error(message),
  } = options;
  const {
    dispatchRules: rules = dispatchRulesOf(config.events),
    objects,
    objectsFolder,
    listens = true,
    accountData = [],
    consoleFolder,
  } = options;
  const { now } = ports;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pools = openPools(database);
  const { pool } = pools;
  const { metrics, end: endGauges } = openMetricsScope(options.metrics ?? NO_METRICS);
  reportPools(metrics, { ...pools });
  const endBatches = reportBatches(metrics);
  metrics.gauge("parley_database_broken_connections", () => [{ labels: {}, value: database.brokenConnectionCount() }]);
  // On a local machine numbers start at 1, and are the same after each reset of a test environment.
  if (!options.isLocal) await conversationNumberStore(pool).chooseRange(ports.random);

  const hosts = hostRules(config);
  const { callsPerHour, publicUrl, corsOrigins } = config;
  const pageAddressOf = createPageAddressOf(publicUrl);
  const originAt = (port: number) => config.publicUrl ?? `http://${host}:${port}`;
  let origin = originAt(options.port);
  /** On this machine there is no https, and links to sign in have the host `localhost`. */
  const pagesOriginOf = (accountDomain: string) =>
    publicUrl ??
    (isLocalHost(accountDomain) ? `http://localhost:${urlOf(origin)?.port ?? ""}` : `https://${accountDomain}`);
  const parts = await composeService({
    database,
    ...pools,
    ports,
    config,
    objects,
    objectsFolder,
    rules,
    streamRules: options.streamRules,
    searchRules: options.searchRules,
    keyWaitMs: options.keyWaitMs,
    passwordHashing: options.passwordHashing,
    pictureHosts: options.pictureHosts,
    adminKey: options.adminKey,
    platformOrigin: options.platformOrigin ?? (() => config.events?.platformUrl),
    secretsFolder: options.secretsFolder,
    accountData,
    isLocal: options.isLocal ?? false,
    isDispatchDisabled: options.isDispatchDisabled ?? false,
    domain: hosts.domain,
    pageAddressOf,
    origin: () => origin,
    metrics,
    conversationUrl: (accountDomain, id) => `${pagesOriginOf(accountDomain)}${CONVERSATION_PAGES}/${id}`,
    log,
  });
  const guard = createFailedAuthenticationLimit({ now });
  const checkAddress = createHostCheck(hosts);
  const sessionAdmission = createSessionAdmission({
    sessions: parts.identity.sessions,
    reach: parts.reach,
    pageAddressOf,
    sessionLimit: createSessionLimit({ now }),
    guard,
    checkAddress,
  });
  const owner = composeAdmin({
    key: options.adminKey,
    guard,
    sessionAdmission,
    database,
    pool,
    ports,
    embedded: database.embedded,
    callsPerHour,
    domain: hosts.domain,
    directory: parts.directory,
    otherHandlers: parts.adminHandlers,
    accountData,
    resignUrls: parts.resignUrls,
    uploadOriginOf: createOriginOf(publicUrl),
    log,
  });
  // On the pool of fast reads, since any request may wait for it.
  const allowed = createCallAllowance({ store: allowanceStore(pools.reads), ...ports, callsPerHour });
  const idleCheck = setInterval(
    () => void allowed.returnIdle().catch(() => undefined),
    IDLE_LEASE_CHECK_INTERVAL_MS,
  ).unref();
  const callers = createFindCaller({ store: apiTokenStore(pool), ...ports });
  const admit = createAdmission({ callers, allowance: allowed, guard, checkAddress }, sessionAdmission);
  const { tables, signIn, sessions, pageTickets, providerSignIn, callbackUrls } = parts.identity;
  const app = await createHttpServer({
    ...parts,
    mounts: [
      ...(parts.mounts ?? []),
      ...owner.mounts,
      identityMount({ tables, admit, guard, pageAddressOf }),
      consoleMount({
        tables: parts.consoleTables,
        admit,
        originOf: createOriginOf(publicUrl),
        resignUrls: parts.resignUrls,
      }),
      providerSignInMount({ signIn: providerSignIn, callbackUrls, pageAddressOf, domain: hosts.domain }),
      signInPagesMount({ signIn, pageAddressOf, domain: hosts.domain }),
      consoleFolder === undefined
        ? noConsoleMount
        : consolePagesMount({ folder: consoleFolder, appsUrl: config.appsUrl, random: ports.random }),
      pageTicketMount({ tickets: pageTickets, sessions, pageAddressOf, appsUrl: config.appsUrl }),
    ],
    callers,
    allowance: allowed,
    guard,
    admit,
    timeouts: options.requestTimeouts,
    slowRequestMs: options.slowRequestMs,
    earlyRefusal: options.earlyRefusal,
    observe: options.observe,
    metrics,
    health: healthCheck({ database, pool, log }),
    isStopping: options.isStopping ?? (() => false),
    publicUrl,
    corsOrigins,
    trustedProxies: config.trustedProxies,
    log,
  });

  const end = async (graceMs?: number) => {
    await drain(app, options.drainTimeoutMs);
    clearInterval(idleCheck);
    // The unused calls are lost if the database is unreachable.
    await Promise.all([parts.close(graceMs), allowed.end().catch(() => undefined)]);
    endBatches();
    endGauges();
    await endPools(pools);
  };
  try {
    if (listens) await app.listen({ port: options.port, host, backlog: ACCEPT_QUEUE_LENGTH });
    else await app.ready();
  } catch (error) {
    await end();
    throw error;
  }
  parts.begin();
  // The type includes Unix sockets, which this server doesn't use.
  const { port } = listens ? (app.server.address() as AddressInfo) : options;
  origin = originAt(port);
  let ended: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    admin: createAdminApi(pool, ports, parts.identity.administration),
    addresses: () => app.servedAddresses(),
    server: app.server,
    close: (graceMs) => (ended ??= end(graceMs)),
  };
}
