import { SIGN_IN_FOLDER } from "@parley/console";
import { logText, type Log } from "@parley/telemetry";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Pool } from "@parley/database";
import { APP_SCHEMA, startPlatform, type Platform, type PlatformOptions } from "@parley/framework";
import { serviceConfig, startService, type MessagingService, type ServiceConfig } from "@parley/service";
import { migratedDatabase } from "./migrated-database.ts";
import { CHEAP_HASHING } from "../../service/test/cheap-hashing.ts";
import { platformClient, type PlatformClient } from "./platform-client.ts";

export const ADMIN_KEY = "parley_admin_of-a-platform-test-0123456789";
const SUFFIX = ".parley.localhost";

/** A service and processes of the platform on one database, in this process, over real HTTP. */
export interface PlatformHarness extends PlatformClient {
  readonly database: Database;
  /** Of the tables of apps. */
  readonly pool: Pool;
  readonly service: MessagingService;
  readonly serviceOrigin: string;
  /** The first process. */
  readonly platform: Platform;
  readonly lines: string[];
  /** Starts another process of the platform. */
  startAnother(options?: Partial<PlatformOptions>): Promise<Platform>;
  close(): Promise<void>;
}

export const originOf = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}`;

/** A port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

/** @shape serviceSettings: those of the service that differ from the environment */
export async function platformHarness(
  options: Partial<PlatformOptions> = {},
  serviceSettings: Partial<ServiceConfig> = {},
): Promise<PlatformHarness> {
  const [database, dataFolder] = await Promise.all([migratedDatabase(), mkdtemp(join(tmpdir(), "parley-platform-"))]);
  const lines: string[] = [];
  const log: Log = (...line) => void lines.push(logText(...line));
  // The service admits pages of apps by their addresses, so that it knows the port of the first process.
  const firstPort = await freePort();
  const settings = serviceConfig();
  const service = await startService({
    database,
    port: 0,
    config: {
      ...settings,
      events: { ...settings.events, platformUrl: `http://127.0.0.1:${firstPort}` },
      appsUrl: options.appsUrl ?? `http://apps.localhost:${firstPort}`,
      ...serviceSettings,
    },
    adminKey: ADMIN_KEY,
    secretsFolder: dataFolder,
    objectsFolder: join(dataFolder, "objects"),
    signInFolder: SIGN_IN_FOLDER,
    // The lowest cost that argon2 accepts.
    passwordHashing: CHEAP_HASHING,
    log,
  });
  await service.admin.ensureDemo();
  const serviceOrigin = originOf(service);
  const platforms: Platform[] = [];
  const start = async (more: Partial<PlatformOptions> = {}) => {
    const platform = await startPlatform({
      database,
      dataFolder,
      port: 0,
      host: "127.0.0.1",
      service: { origin: serviceOrigin, adminKey: ADMIN_KEY },
      serviceOrigin: `http://localhost:${service.port}`,
      domainSuffix: SUFFIX,
      serviceHosts: [],
      log,
      ...options,
      ...more,
    });
    platforms.push(platform);
    return platform;
  };
  const platform = await start({ port: firstPort });
  const pool = database.pool(APP_SCHEMA);
  const client = platformClient({
    platformOrigin: originOf(platform),
    serviceOrigin,
    adminKey: ADMIN_KEY,
    log: () => lines.join("\n"),
  });
  return {
    ...client,
    database,
    pool,
    service,
    serviceOrigin,
    platform,
    lines,
    startAnother: start,
    async close() {
      await Promise.all(platforms.map((one) => one.close()));
      await service.close();
      await pool.end();
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
