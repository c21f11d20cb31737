import { logText, throttleFailures, type Log, type Metrics } from "@parley/telemetry";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parleyClient, type ParleyClient } from "@parley/client";
import { testDatabase } from "@parley/database/testing";
import { migrate, type Database } from "@parley/database";
import type { RequestTimeouts } from "@parley/ingress";
import {
  SERVICE_MIGRATIONS,
  realPorts,
  SERVICE_SCHEMA,
  startService,
  type AdminApi,
  type DispatchRules,
  type Ports,
  type ServiceConfig,
} from "../src/index.ts";
import { ACME } from "../src/operations/demo/acme.ts";
import { ensureDemo, STAND_ALONE } from "../src/operations/demo/demo.ts";
import { openJobQueue } from "../src/base/jobs/queue.ts";
import { CHEAP_HASHING } from "./cheap-hashing.ts";
import type { PasswordHashing } from "../src/identity/authentication/credentials/passwords.ts";
import type { SearchIndexRules } from "../src/console/search/projection.ts";
import type { StreamRules } from "../src/events/stream/stream-rules.ts";
import { recordResponse } from "./response-recorder.ts";

/** The pages of the sign-in, which the build of the console contains. */
export const SIGN_IN_FOLDER = fileURLToPath(new URL("../../console/dist/sign-in", import.meta.url));

export interface ServiceHarness {
  /** Without the version segment. */
  readonly url: string;
  /** Every address that the service answers. */
  readonly addresses: readonly { readonly path: string; readonly methods: readonly string[] }[];
  readonly database: Database;
  readonly admin: AdminApi;
  readonly token: string;
  /** Typed clients with all permissions. */
  readonly client: ParleyClient;
  readonly solo: ParleyClient;
  /** Sends a request with acme's token only; `path` starts with `/v2`. */
  raw(method: string, path: string, init?: RequestInit): Promise<Response>;
  /** Folder of uploads and reports. */
  readonly objectsFolder: string;
  /** Log lines of the service. */
  readonly logLines: readonly string[];
  /** Moves the clock of the caches by the second for which a process may still use a session, a token or settings that have changed. */
  expireCaches(): void;
  close(): Promise<void>;
}

export interface ServiceHarnessOptions {
  readonly ports?: Partial<Ports>;
  /** A million if absent; undefined: by plan. */
  readonly callsPerHour?: number | undefined;
  /** A shared database, which the caller closes. */
  readonly database?: Database;
  readonly dispatchRules?: DispatchRules;
  /** Events stay in the log until another service delivers them. */
  readonly isDispatchDisabled?: boolean;
  readonly streamRules?: StreamRules;
  readonly searchRules?: SearchIndexRules;
  /** How long a request waits for another request with the same key. @units milliseconds */
  readonly keyWaitMs?: number;
  /** A shared folder of objects, which the caller removes. */
  readonly objectsFolder?: string;
  readonly requestTimeouts?: RequestTimeouts;
  /** How long requests in progress may delay the end. @units milliseconds */
  readonly drainTimeoutMs?: number;
  /** `CHEAP_HASHING` when absent. */
  readonly passwordHashing?: PasswordHashing;
  /** Overrides of hosts that pictures are loaded from. */
  readonly pictureHosts?: ReadonlyMap<string, { readonly origin: string }>;
  /** The built messenger; none when absent. */
  readonly messengerFiles?: { readonly panelFolder: string; readonly scriptFile: string };
  /** Permits endpoints of webhooks on this machine. */
  readonly isLocal?: boolean;
  /** Additional settings. */
  readonly config?: ServiceConfig;
  /** Enables /admin, which is disabled without it. */
  readonly adminKey?: string;
  readonly metrics?: Metrics;
  /** Repeated failures are counted in place of logged, as in the processes of the product. */
  readonly hasThrottledLog?: boolean;
}

/** Creates a database with the tables of the service and of its job queue, and the demo accounts. */
export const demoDatabase = (): Promise<Database> =>
  testDatabase({
    key: `service ${JSON.stringify([SERVICE_MIGRATIONS, ACME, STAND_ALONE])}`,
    schemas: [SERVICE_SCHEMA],
    async run(database) {
      await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
      await ensureDemo(database.pool(SERVICE_SCHEMA, { max: 1 }));
      const queue = await openJobQueue({ database, run: () => Promise.resolve(), log: () => undefined });
      await queue.stop();
    },
  });
/** Starts the complete service on a new database with the demo accounts. */
export async function serviceHarness(options: ServiceHarnessOptions = {}): Promise<ServiceHarness> {
  const { ports, callsPerHour } = { callsPerHour: 1_000_000, ...options };
  const database = options.database ?? (await demoDatabase());
  const logLines: string[] = [];
  const log: Log = (...line) => void logLines.push(logText(...line));
  const config: ServiceConfig = { callsPerHour, ...options.config };
  const objectsFolder = options.objectsFolder ?? (await mkdtemp(join(tmpdir(), "parley-objects-")));
  let cacheOffsetMs = 0;
  const monotonicMs = () => realPorts.monotonicMs() + cacheOffsetMs;
  const service = await startService({
    database,
    port: 0,
    ports: { ...realPorts, monotonicMs, ...ports },
    config,
    objectsFolder,
    secretsFolder: objectsFolder,
    isLocal: options.isLocal ?? false,
    adminKey: options.adminKey,
    dispatchRules: options.dispatchRules,
    isDispatchDisabled: options.isDispatchDisabled ?? false,
    streamRules: options.streamRules,
    searchRules: options.searchRules,
    keyWaitMs: options.keyWaitMs,
    drainTimeoutMs: options.drainTimeoutMs,
    passwordHashing: options.passwordHashing ?? CHEAP_HASHING,
    signInFolder: SIGN_IN_FOLDER,
    pictureHosts: options.pictureHosts,
    messengerFiles: options.messengerFiles,
    requestTimeouts: options.requestTimeouts,
    // A loaded machine makes requests slow.
    slowRequestMs: Infinity,
    observe: recordResponse,
    ...(options.metrics && { metrics: options.metrics }),
    log: options.hasThrottledLog ? throttleFailures(log) : log,
  });
  const { admin, url } = service;
  if (options.database) await admin.ensureDemo();
  const { token } = await admin.issueToken({ account: "acme", name: "test" });
  const solo = await admin.issueToken({ account: "solo", name: "test" });
  return {
    url,
    addresses: service.addresses(),
    database,
    admin,
    token,
    client: parleyClient({ url, token }),
    solo: parleyClient({ url, token: solo.token }),
    raw: (method, path, init = {}) =>
      fetch(url + path, {
        ...init,
        method,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
      }),
    logLines,
    objectsFolder,
    expireCaches: () => void (cacheOffsetMs += 1_000),
    async close() {
      await service.close();
      if (!options.objectsFolder) await rm(objectsFolder, { recursive: true, force: true });
      if (!options.database) await database.close();
    },
  };
}
