import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CONVERSATION_PAGES, createPageAddressOf, isLocalHost, urlOf } from "@parley/contract";
import type { Database } from "@parley/database";
import { ACCEPT_QUEUE_LENGTH, type RequestTimeouts } from "@parley/ingress";
import type { Log, Metrics } from "@parley/telemetry";
import { realPorts, type Ports } from "./base/environment/ports.ts";
import type { ObjectStore } from "./base/objects/object-store.ts";
import { composeService } from "./composition-root.ts";
import type { SearchIndexRules } from "./console/search/projection.ts";
import { dispatchRulesOf, type DispatchRules } from "./events/dispatch/index.ts";
import type { StreamRules } from "./events/stream/stream-rules.ts";
import type { PasswordHashing } from "./identity/authentication/credentials/passwords.ts";
import { hostRules } from "./identity/edge/host.ts";
import { createHttpServer, drain } from "./identity/edge/http-server.ts";
import type { EarlyRefusal } from "./identity/edge/kernel.ts";
import type { ServedAddress } from "./identity/edge/method-not-allowed.ts";
import type { ObserveReply } from "./identity/edge/send-error.ts";
import type { AccountDataOwner } from "./operations/administration/lifecycle/account-data.ts";
import type { AdminApi } from "./operations/administration/endpoints/admin.ts";
import type { MessengerFiles } from "./messenger/module.ts";
import { serviceConfig, type ServiceConfig } from "./operations/configuration/config.ts";

export interface MessagingService {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: AdminApi;
  /** Every address that is answered, for tests of reachable addresses. */
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
  /** Enables the endpoints below /admin; without it these endpoints do not exist. */
  readonly adminKey?: string | undefined;
  /** Origin at which the platform of apps is reached, as far as it is known; that of the settings when absent. */
  readonly platformOrigin?: (() => string | undefined) | undefined;
  /** Storage of uploads and reports; a folder when absent. */
  readonly objects?: ObjectStore | undefined;
  /** The folder, unless the settings contain a folder. */
  readonly objectsFolder?: string | undefined;
  /** Folder of the encryption key of secrets, which is created there unless the settings contain a key. */
  readonly secretsFolder?: string | undefined;
  /** Data of accounts in tables of other components: it is closed, deleted and exported with the account. None when absent. */
  readonly accountData?: readonly AccountDataOwner[];
  /** Folder of the built pages of the sign-in and the profile. Absent: there are endpoints only. */
  readonly signInFolder?: string | undefined;
  /** Folder of the built console. Absent: there are no pages for agents except the sign-in and the profile. */
  readonly consoleFolder?: string | undefined;
  /** The built messenger. Absent: there are endpoints only. */
  readonly messengerFiles?: MessengerFiles | undefined;
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
  readonly pictureHosts?: ReadonlyMap<string, { readonly origin: string }>;
  /** Timeouts of incoming requests; defaults when absent. */
  readonly requestTimeouts?: RequestTimeouts | undefined;
  /** Duration from which on a request is logged; the default when absent. @units milliseconds */
  readonly slowRequestMs?: number | undefined;
  /** Refuses a request before any other check. */
  readonly earlyRefusal?: EarlyRefusal | undefined;
  /** Called for every reply. */
  readonly observe?: ObserveReply | undefined;
  /** Whether the process will stop soon, so that load balancers must send no more requests; never when absent. */
  readonly isStopping?: () => boolean;
  /** None when absent. */
  readonly metrics?: Metrics;
  readonly log?: Log;
}

const LOOPBACK = "127.0.0.1";

/** Migrates the schema, serves the API and delivers events. @errors the error of listening on the port */
export async function startService(options: ServiceOptions): Promise<MessagingService> {
  const { host = LOOPBACK, listens = true, isLocal = false, config = serviceConfig() } = options;
  const { publicUrl } = config;
  const log = options.log ?? ((message: string) => console.error(message));
  const hosts = hostRules(config);
  const originAt = (port: number) => publicUrl ?? `http://${host}:${port}`;
  let origin = originAt(options.port);
  /** On this machine there is no https, and links to sign in have the host `localhost`. */
  const pagesOriginOf = (accountDomain: string) =>
    publicUrl ??
    (isLocalHost(accountDomain) ? `http://localhost:${urlOf(origin)?.port ?? ""}` : `https://${accountDomain}`);
  const service = await composeService({
    ...options,
    ports: options.ports ?? realPorts,
    config,
    hosts,
    isLocal,
    log,
    rules: options.dispatchRules ?? dispatchRulesOf(config.events),
    isDispatchDisabled: options.isDispatchDisabled ?? false,
    platformOrigin: options.platformOrigin ?? (() => config.events?.platformUrl),
    accountData: options.accountData ?? [],
    pageAddressOf: createPageAddressOf(publicUrl),
    origin: () => origin,
    conversationUrl: (accountDomain, id) => `${pagesOriginOf(accountDomain)}${CONVERSATION_PAGES}/${id}`,
  });
  const { slowRequestMs, earlyRefusal, observe } = options;
  const app = await createHttpServer({
    ...service.served,
    ...{ slowRequestMs, earlyRefusal, observe, publicUrl, log },
    timeouts: options.requestTimeouts,
    isStopping: options.isStopping ?? (() => false),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
  });
  const end = async (graceMs?: number) => {
    await drain(app, options.drainTimeoutMs);
    await service.close(graceMs);
  };
  try {
    if (listens) await app.listen({ port: options.port, host, backlog: ACCEPT_QUEUE_LENGTH });
    else await app.ready();
  } catch (error) {
    await end();
    throw error;
  }
  service.begin();
  // The type includes Unix sockets, which this server doesn't use.
  const { port } = listens ? (app.server.address() as AddressInfo) : options;
  origin = originAt(port);
  let ended: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    admin: service.admin,
    addresses: () => app.servedAddresses(),
    server: app.server,
    close: (graceMs) => (ended ??= end(graceMs)),
  };
}
