import { logText, type Log } from "@parley/telemetry";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { packageRoutes } from "../../src/publishing/routes.ts";
import { createAuthorizeRow } from "../../src/platform/api/authorize.ts";
import { delegationRules } from "../../src/platform/delegation/delegation.ts";
import { delegatedRequestStore } from "../../src/platform/delegation/store.ts";
import { createPublisher, type Publisher } from "../../src/publishing/publisher.ts";
import { packageStore, type PackageStore } from "../../src/publishing/store.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
import { packFolders, type AppFiles, type PackFolders } from "../support/pack-folder.ts";

export const ADMIN_KEY = "parley_admin_of-a-publishing-test";
export const SUFFIX = ".parley.localhost";

interface PublishingResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The routes of packages on a real server and a real database. */
export interface PublishingFixture {
  readonly origin: string;
  readonly dataFolder: string;
  readonly database: Database;
  readonly pool: Pool;
  readonly store: PackageStore;
  readonly publisher: Publisher;
  readonly apps: PackFolders;
  readonly lines: readonly string[];
  /** Packs the default app with some files changed. */
  archive(files?: AppFiles): Promise<Uint8Array<ArrayBuffer>>;
  /** Another publisher on the same database and data folder. */
  startAnotherPublisher(): Promise<Publisher>;
  request(method: string, path: string, init?: RequestInit): Promise<PublishingResponse>;
  upload(archive: Uint8Array<ArrayBuffer>, query?: string, init?: RequestInit): Promise<PublishingResponse>;
  /** All rows of a table of the platform. */
  rowsOf(table: "apps" | "app_versions" | "change_reports"): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function publishingFixture(): Promise<PublishingFixture> {
  const [database, dataFolder, apps, boundary] = await Promise.all([
    testDatabase(),
    mkdtemp(join(tmpdir(), "parley-publishing-")),
    packFolders(),
    findBoundary(),
  ]);
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  const pool = database.pool(APP_SCHEMA);
  const store = packageStore(pool);
  const lines: string[] = [];
  const log: Log = (...line) => void lines.push(logText(...line));
  const ports = realHostPorts;
  const deps = { store, dataFolder, boundary, domainSuffix: SUFFIX, ports, log };
  const publisher = await createPublisher(deps);
  const app = Fastify();
  packageRoutes(app, {
    publisher,
    store,
    ports,
    authorize: createAuthorizeRow({
      adminKey: ADMIN_KEY,
      delegation: delegationRules({ adminKey: ADMIN_KEY, store: delegatedRequestStore(pool), now: ports.now }),
    }),
    accountExists: async (name) => ["acme", "globex"].includes(name),
    log,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const request: PublishingFixture["request"] = async (method, path, init = {}) => {
    const { headers = {}, ...rest } = init;
    const reply = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, ...(headers as Record<string, string>) },
      ...rest,
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  return {
    origin,
    dataFolder,
    database,
    pool,
    store,
    publisher,
    apps,
    lines,
    archive: async (files) => new Uint8Array((await apps.packValid(files)).zip),
    startAnotherPublisher: () => createPublisher(deps),
    request,
    upload: (archive, query = "", init = {}) =>
      request("POST", `/platform/packages${query}`, {
        headers: { "content-type": "application/zip" },
        body: archive,
        ...init,
      }),
    rowsOf: (table) => pool.rows(statement("", `select * from ${table}`), []),
    async close() {
      await app.close();
      await apps.remove();
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
