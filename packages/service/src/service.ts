import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { migrate, type Database } from "@parley/database";
import type { RequestTimeouts } from "@parley/ingress";
import { createAdminApi, type AdminApi } from "./admin/admin.ts";
import { composeAdmin, composeService } from "./composition-root.ts";
import { createCallAllowance } from "./allowance/allowance.ts";
import { createFailedAuthenticationLimit } from "./allowance/failed-authentication.ts";
import { allowanceStore } from "./allowance/store.ts";
import { serviceConfig, type ServiceConfig } from "./configuration/config.ts";
import { conversationNumberStore } from "./conversations/store.ts";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./db/migrations.ts";
import { endPools, openPools } from "./db/pools.ts";
import { dispatchRulesOf, type DispatchRules } from "./dispatch/index.ts";
import { healthCheck } from "./health/health.ts";
import { drain } from "./edge/drain.ts";
import { createHttpServer } from "./edge/http-server.ts";
import { createHostCheck, hostRules } from "./edge/host.ts";
import type { EarlyRefusal } from "./edge/kernel.ts";
import type { ObserveReply } from "./edge/send-error.ts";
import type { ObjectStore } from "./objects/object-store.ts";
import { realPorts, type Ports } from "./environment/ports.ts";
import type { StreamRules } from "./stream/stream-rules.ts";
import { createFindCaller } from "./identity/callers.ts";
import { apiTokenStore } from "./identity/store.ts";

export interface MessagingService {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: AdminApi;
  /** What requests are told to, where somebody else listens. */
  readonly server: Server;
  /**
   * Takes no more requests, gives those under way three seconds, saves how far events came, ends. May be called again.
   * `graceMs`: how long deliveries under way may hold it up, the rules' own when absent.
   */
  close(graceMs?: number): Promise<void>;
}

export interface ServiceOptions {
  /** The caller's: it is not closed here. */
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  /** false: somebody else does, at this port, and whatever its server tells is emitted on `server` too. */
  readonly listens?: boolean;
  /** This machine only when absent. */
  readonly host?: string;
  readonly ports?: Ports;
  readonly config?: ServiceConfig;
  /** Opens the addresses below /admin, which are none when it is absent. */
  readonly adminKey?: string | undefined;
  /** Where uploads and reports are kept; a folder when absent. */
  readonly objects?: ObjectStore | undefined;
  /** The folder, where the settings don't name one. */
  readonly objectsFolder?: string | undefined;
  /** Where the key of secrets lies, or is put, when the settings have none. */
  readonly secretsFolder?: string | undefined;
  /** For one's own machine, which may then be told of events over plain http. */
  readonly isLocal?: boolean;
  /** How the road of events is driven; the usual rules when absent. */
  readonly dispatchRules?: DispatchRules | undefined;
  /** How streams of events are driven; the usual rules when absent. */
  readonly streamRules?: StreamRules | undefined;
  /** true: nobody is told of what happens; it waits in the log. */
  readonly isDispatchDisabled?: boolean;
  /** How long a request waits for another one with its Idempotency-Key; the usual when absent. @units milliseconds */
  readonly keyWaitMs?: number | undefined;
  /** How long requests may take to arrive; the usual rules when absent. */
  readonly requestTimeouts?: RequestTimeouts | undefined;
  /** Whether a request is refused before anybody looks at it. */
  readonly earlyRefusal?: EarlyRefusal | undefined;
  /** Hears of every answer that is given. */
  readonly observe?: ObserveReply | undefined;
  readonly log?: (line: string) => void;
}

const LOOPBACK = "127.0.0.1";

/** Brings the schema up to date, serves the API and sends events. @errors what listening on the port failed with */
export async function startService(options: ServiceOptions): Promise<MessagingService> {
  const { database, host = LOOPBACK, ports = realPorts, config = serviceConfig(), log = console.error } = options;
  const { dispatchRules: rules = dispatchRulesOf(config.events), objects, objectsFolder, listens = true } = options;
  const { now } = ports;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pools = openPools(database);
  const { pool } = pools;
  // On one's own machine numbers begin at 1, the same after each reset of a world.
  if (!options.isLocal) await conversationNumberStore(pool).chooseRange(ports.random);

  const originAt = (port: number) => config.publicUrl ?? `http://${host}:${port}`;
  let origin = originAt(options.port);
  const parts = await composeService({
    database,
    ...pools,
    ports,
    config,
    objects,
    objectsFolder,
    rules,
    streamRules: options.streamRules,
    keyWaitMs: options.keyWaitMs,
    secretsFolder: options.secretsFolder,
    isLocal: options.isLocal ?? false,
    isDispatchDisabled: options.isDispatchDisabled ?? false,
    origin: () => origin,
    log,
  });
  const guard = createFailedAuthenticationLimit({ now });
  const hosts = hostRules(config);
  const { callsPerHour, publicUrl, corsOrigins } = config;
  const owner = composeAdmin({
    key: options.adminKey,
    guard,
    database,
    pool,
    ports,
    embedded: database.embedded,
    callsPerHour,
    domain: hosts.domain,
    directory: parts.directory,
    otherHandlers: parts.adminHandlers,
    log,
  });
  // Every request may have to wait for it: not behind what takes long.
  const allowed = createCallAllowance({ store: allowanceStore(pools.reads), now, callsPerHour });
  const app = await createHttpServer({
    ...parts,
    mounts: [...(parts.mounts ?? []), ...owner.mounts],
    callers: createFindCaller({ store: apiTokenStore(pool), now }),
    allowance: allowed,
    guard,
    checkAddress: createHostCheck(hosts),
    timeouts: options.requestTimeouts,
    earlyRefusal: options.earlyRefusal,
    observe: options.observe,
    health: healthCheck({ database, pool, log }),
    publicUrl,
    corsOrigins,
    log,
  });

  const end = async (graceMs?: number) => {
    await drain(app);
    // It is lost where the database is away.
    await Promise.all([parts.close(graceMs), allowed.end().catch(() => undefined)]);
    await endPools(pools);
  };
  try {
    if (listens) await app.listen({ port: options.port, host });
    else await app.ready();
  } catch (error) {
    await end();
    throw error;
  }
  parts.begin();
  // The type knows sockets in the file system too, which is no way to listen on a port.
  const { port } = listens ? (app.server.address() as AddressInfo) : options;
  origin = originAt(port);
  let ended: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    admin: createAdminApi(pool, ports),
    server: app.server,
    close: (graceMs) => (ended ??= end(graceMs)),
  };
}
