import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { migrate, type Database } from "@parley/database";
import type { RequestTimeouts } from "@parley/ingress";
import { admin, type Admin } from "./admin/admin.ts";
import { adminPart } from "./admin/part.ts";
import { allowance } from "./allowance/allowance.ts";
import { guard as openGuard } from "./allowance/guard.ts";
import { allowanceStore } from "./allowance/store.ts";
import { serviceConfig, type ServiceConfig } from "./config.ts";
import { numberStore } from "./conversations/store.ts";
import { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
import { endPools, openPools } from "./db/pools.ts";
import { rulesOf, type DispatchRules } from "./events/index.ts";
import { healthCheck } from "./health/health.ts";
import { drain } from "./http/drain.ts";
import { edge } from "./http/edge.ts";
import { addressCheck, hostRules } from "./http/host.ts";
import type { Trouble } from "./http/kernel.ts";
import type { Observe } from "./http/record.ts";
import type { ObjectStore } from "./objects/objects.ts";
import { openParts } from "./parts.ts";
import { realPorts, type Ports } from "./ports.ts";
import type { StreamRules } from "./stream/rules.ts";
import { callers } from "./tokens/callers.ts";
import { tokenStore } from "./tokens/store.ts";

export interface Service {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: Admin;
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
  readonly isMute?: boolean;
  /** How long a request waits for another one with its Idempotency-Key; the usual when absent. @units milliseconds */
  readonly keyPatienceMs?: number | undefined;
  /** How long requests may take to arrive; the usual rules when absent. */
  readonly patience?: RequestTimeouts | undefined;
  /** Whether a request is refused before anybody looks at it. */
  readonly trouble?: Trouble | undefined;
  /** Hears of every answer that is given. */
  readonly observe?: Observe | undefined;
  readonly log?: (line: string) => void;
}

const LOOPBACK = "127.0.0.1";

/** Brings the schema up to date, serves the API and sends events. @errors what listening on the port failed with */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { database, host = LOOPBACK, ports = realPorts, config = serviceConfig(), log = console.error } = options;
  const { dispatchRules: rules = rulesOf(config.events), objects, objectsFolder, listens = true } = options;
  const { now } = ports;
  await migrate(database, SCHEMA, MIGRATIONS);
  const pools = openPools(database);
  const { pool } = pools;
  // On one's own machine numbers begin at 1, the same after each reset of a world.
  if (!options.isLocal) await numberStore(pool).chooseRange(ports.random);

  const originAt = (port: number) => config.publicUrl ?? `http://${host}:${port}`;
  let origin = originAt(options.port);
  const parts = await openParts({
    database,
    ...pools,
    ports,
    config,
    objects,
    objectsFolder,
    rules,
    streamRules: options.streamRules,
    keyPatienceMs: options.keyPatienceMs,
    secretsFolder: options.secretsFolder,
    isLocal: options.isLocal ?? false,
    isMute: options.isMute ?? false,
    origin: () => origin,
    log,
  });
  const guard = openGuard({ now });
  const hosts = hostRules(config);
  const { callsPerHour, publicUrl, corsOrigins } = config;
  const owner = adminPart({
    key: options.adminKey,
    guard,
    database,
    pool,
    ports,
    embedded: database.embedded,
    callsPerHour,
    domain: hosts.domain,
    directory: parts.directory,
    others: parts.adminHandlers,
    log,
  });
  // Every request may have to wait for it: not behind what takes long.
  const allowed = allowance({ store: allowanceStore(pools.reads), now, callsPerHour });
  const app = await edge({
    ...parts,
    mounts: [...(parts.mounts ?? []), ...owner.mounts],
    callers: callers({ store: tokenStore(pool), now }),
    allowance: allowed,
    guard,
    checkAddress: addressCheck(hosts),
    patience: options.patience,
    trouble: options.trouble,
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
    admin: admin(pool, ports),
    server: app.server,
    close: (graceMs) => (ended ??= end(graceMs)),
  };
}
