import type { Log } from "@parley/telemetry";
import pg from "pg";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketAddress } from "./address.ts";
import { TEST_CLUSTER, TEST_SERVER, testServer, type TestServerAccess } from "./environment/config.ts";
import { databaseAt, type Database } from "./database.ts";
import { APP_ROLE, secureCluster } from "./embedded/access.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { ensureCluster } from "./embedded/cluster.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { chooseHome } from "./embedded/home.ts";
import { randomText } from "./environment/ports.ts";
import { statement, type Db } from "./statement.ts";

export { ignorePreparedCluster } from "./environment/config.ts";
export { testRelay, type TestRelay } from "./testing-relay.ts";

/** A server for tests and benchmarks on which databases can be created. Each belongs to the product's role, as in an instance. */
export interface OwnServer {
  readonly access: TestServerAccess;
  /** Creates a database and returns its DATABASE_URL. */
  createDatabase(name: string): Promise<string>;
  /** DATABASE_URL of a database for the server's superuser. */
  administratorUrl(database: string): string;
  close(): Promise<void>;
}

/** The server of one test run. */
export interface TestServer {
  /** Variables for the environment of the workers. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Test data needs no durability; several workers connect. */
const SETTINGS = { fsync: "off", max_connections: "200" };

/** Superuser of test servers. */
const ADMINISTRATOR = "administrator";

const MAKE_NUMBERS = statement("", "create sequence test_databases");
const NEXT_NUMBER = "select nextval('public.test_databases') as number";
const LOCK_TEMPLATE = statement("", "select pg_advisory_lock(hashtext($1))");
const NAME = statement("", "select current_database() as name");
const FIND_DATABASE = statement("", "select 1 from pg_database where datname = $1");

/** Prepares a cluster that processes of the test run copy, which takes a tenth of the time of initdb. Returns the folder that contains it. */
async function makeCluster(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-clusters-"));
  await chmod(folder, 0o711);
  const { folder: home, identity, binaries } = chooseHome(folder, findBinaries());
  const cluster = await ensureCluster(home, binaries, identity);
  await secureCluster({ binaries, cluster, identity, settings: SETTINGS, log: () => undefined });
  await rename(cluster, join(folder, binaries.version));
  return folder;
}

/** DATABASE_URL of a database, for the product's role or the server's superuser. */
export function testUrl(
  database: string,
  as: "product" | "administrator" = "product",
  access = currentServer(),
): string {
  const { folder, password, administratorPassword } = access;
  const [user, secret] = as === "product" ? [APP_ROLE, password] : [ADMINISTRATOR, administratorPassword];
  return `postgres://${user}:${secret}@/${database}?host=${encodeURIComponent(folder)}`;
}

/** Socket folder of the test run's server. */
export const testSocketFolder = (): string => currentServer().folder;

const currentServer = (): TestServerAccess => {
  const access = testServer();
  if (access === undefined)
    throw new Error(`${TEST_SERVER} is not set: run the tests with jest, whose globalSetup starts the server`);
  return access;
};

interface DatabaseOfOptions {
  readonly embedded?: boolean;
  readonly as?: "product" | "administrator";
  readonly presentSchemas?: readonly string[];
  readonly stop?: () => Promise<void>;
}

/** The server is supervised, as an embedded one is. */
const databaseOf = (
  { folder, password, administratorPassword }: TestServerAccess,
  database: string,
  { as = "product", ...options }: DatabaseOfOptions = {},
): Database => {
  const role =
    as === "product" ? { user: APP_ROLE, password } : { user: ADMINISTRATOR, password: administratorPassword };
  return databaseAt(socketAddress(folder, { ...role, database }), { embedded: true, ...options });
};

/** Connections of this process that create and drop databases, by the server's folder. They keep no process from ending. */
const administrators = new Map<string, pg.Pool>();

const administratorOf = ({ folder, administratorPassword }: TestServerAccess): pg.Pool => {
  const present = administrators.get(folder);
  if (present) return present;
  const role = { user: ADMINISTRATOR, password: administratorPassword, database: "postgres" };
  const pool = new pg.Pool({ host: folder, port: 5432, ...role, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on("error", () => undefined);
  administrators.set(folder, pool);
  return pool;
};

/** Starts a server in an unused data folder. */
export async function startOwnServer(options: {
  readonly dataFolder: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Log;
}): Promise<OwnServer> {
  const administratorPassword = randomText(16);
  const administrator = { name: ADMINISTRATOR, password: administratorPassword };
  const server = await openEmbedded({ log: () => undefined, ...options, administrator });
  const access = { folder: server.socketFolder, password: server.password, administratorPassword };
  const admin = databaseOf(access, "postgres", { as: "administrator" });
  const pool = admin.pool("public", { max: 1 });
  return {
    access,
    administratorUrl: (database) => testUrl(database, "administrator", access),
    createDatabase: async (name) => {
      await run(pool, `create database ${name} owner ${APP_ROLE}`);
      return testUrl(name, "product", access);
    },
    close: async () => {
      await admin.close();
      await server.close();
    },
  };
}

/** Starts a server in a new temporary folder; called once per test run. */
export async function startTestServer(): Promise<TestServer> {
  const clusters = await makeCluster();
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-test-"));
  const server = await startOwnServer({ dataFolder, settings: SETTINGS });
  const database = databaseOf(server.access, "postgres");
  await database.pool("public", { max: 1 }).rows(MAKE_NUMBERS, []);
  await database.close();
  return {
    env: { [TEST_SERVER]: JSON.stringify(server.access), [TEST_CLUSTER]: clusters },
    stop: async () => {
      await server.close();
      await rm(dataFolder, { recursive: true, force: true });
      await rm(clusters, { recursive: true, force: true });
    },
  };
}

/** Initial data that many test files share. */
export interface Preparation {
  readonly key: string;
  /** Called once per key and test run. */
  readonly run: (database: Database) => Promise<void>;
  /** Schemas that `run` creates. */
  readonly schemas?: readonly string[];
  /** The server is one of the operator's: connections are attempted for a shorter time, and its liveness is observed. */
  readonly isExternal?: boolean;
}

/** Creates a database for one test file, with the data of `prepare`; `close` drops it. */
export async function testDatabase(prepare?: Preparation): Promise<Database> {
  const access = currentServer();
  const administrator = administratorOf(access);
  const template = prepare ? await templateOf(prepare, access) : "template1";
  const { rows } = await administrator.query<{ number: string }>(NEXT_NUMBER);
  const name = `test_${rows[0]?.number}`;
  // Copying files takes a third of the processor time of copying through the log, which is for templates that are in use.
  await administrator.query(`create database ${name} template ${template} owner ${APP_ROLE} strategy file_copy`);
  return databaseOf(access, name, {
    ...(prepare?.schemas && { presentSchemas: prepare.schemas }),
    embedded: prepare?.isExternal !== true,
    stop: async () => {
      await administrator.query(`drop database ${name} with (force)`);
    },
  });
}

/** Connects to a test's database as the superuser, for operations that the product's role may not perform. The caller closes it. */
export async function asAdministrator(database: Database): Promise<Database> {
  const pool = database.pool("public", { max: 1 });
  const row = await pool.one<{ name: string }>(NAME, []);
  await pool.end();
  return databaseOf(currentServer(), row?.name ?? "", { as: "administrator" });
}

/** Names of template databases that are complete, by the server's folder and the key. */
const templates = new Map<string, Promise<string>>();

/** Name of a template database with the prepared data; the first process creates it. */
function templateOf(prepare: Preparation, access: TestServerAccess): Promise<string> {
  const id = `${access.folder} ${prepare.key}`;
  const template = templates.get(id) ?? makeTemplate(prepare, access);
  templates.set(id, template);
  template.catch(() => templates.delete(id));
  return template;
}

async function makeTemplate({ key, run: fill }: Preparation, access: TestServerAccess): Promise<string> {
  const name = `template_${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
  const draft = `${name}_draft`;
  const admin = databaseOf(access, "postgres", { as: "administrator" });
  try {
    const pool = admin.pool("public", { max: 1 });
    // Held until the connection is closed.
    await pool.rows(LOCK_TEMPLATE, [name]);
    if (await pool.one(FIND_DATABASE, [name])) return name;
    await run(pool, `drop database if exists ${draft} with (force)`);
    await run(pool, `create database ${draft} owner ${APP_ROLE}`);
    const database = databaseOf(access, draft);
    try {
      await fill(database);
    } finally {
      await database.close();
    }
    // Renamed last, so that a database of this name is always complete.
    await run(pool, `alter database ${draft} rename to ${name}`);
    return name;
  } finally {
    await admin.close();
  }
}

const run = (db: Db, text: string): Promise<unknown[]> => db.rows(statement("", text), []);
