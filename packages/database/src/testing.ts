import { createHash } from "node:crypto";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketAddress } from "./address.ts";
import { TEST_CLUSTER, TEST_SERVER, testServer } from "./config.ts";
import { databaseAt, type Database } from "./database.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { ensureCluster } from "./embedded/cluster.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { settle } from "./embedded/home.ts";
import { statement, type Db } from "./statement.ts";

export { makeClusters } from "./config.ts";
export { testRelay, type TestRelay } from "./testing-relay.ts";

/** The server of one test run. */
export interface TestServer {
  /** What the workers' environment has to hold. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Nothing here has to outlive a power failure; several workers connect. */
const SETTINGS = { fsync: "off", max_connections: "200" };

const MAKE_NUMBERS = statement("", "CREATE SEQUENCE test_databases");
const NEXT_NUMBER = statement("", "SELECT nextval('public.test_databases') AS number");
const LOCK_TEMPLATE = statement("", "SELECT pg_advisory_lock(hashtext($1))");
const UNLOCK_TEMPLATE = statement("", "SELECT pg_advisory_unlock(hashtext($1))");
const FIND_DATABASE = statement("", "SELECT 1 FROM pg_database WHERE datname = $1");

/** Makes a cluster that is copied where a process of the run needs one: a tenth of the work of making it. -> the folder that holds it */
async function makeCluster(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-clusters-"));
  await chmod(folder, 0o711);
  const { folder: home, identity, binaries } = settle(folder, findBinaries());
  await rename(await ensureCluster(home, binaries, identity), join(folder, binaries.version));
  return folder;
}

/** Starts one server in a fresh temporary folder; called once a run. */
export async function startTestServer(): Promise<TestServer> {
  const clusters = await makeCluster();
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-test-"));
  // Else the server's own user can't reach it where the run is root's.
  await chmod(dataFolder, 0o711);
  const server = await openEmbedded({ dataFolder, settings: SETTINGS, log: () => undefined });
  const admin = databaseAt(socketAddress(server.socketFolder), true, () => Promise.resolve());
  await admin.pool("public", { max: 1 }).rows(MAKE_NUMBERS, []);
  await admin.close();
  return {
    env: { [TEST_SERVER]: server.socketFolder, [TEST_CLUSTER]: clusters },
    stop: async () => {
      await server.close();
      await rm(dataFolder, { recursive: true, force: true });
      await rm(clusters, { recursive: true, force: true });
    },
  };
}

/** Fills what many test files start from; runs once for a key and a run. */
export interface Preparation {
  readonly key: string;
  readonly run: (database: Database) => Promise<void>;
}

/** A fresh database for one test file, filled as `prepare` left it; `close` drops it. */
export async function testDatabase(prepare?: Preparation): Promise<Database> {
  const folder = testServer();
  if (folder === undefined)
    throw new Error(`${TEST_SERVER} is not set: run the tests with jest, whose globalSetup starts the server`);
  const at = (name: string, stop: () => Promise<void>) => databaseAt(socketAddress(folder, name), false, stop);
  const admin = at("postgres", () => Promise.resolve());
  const pool = admin.pool("public", { max: 1 });
  const template = prepare ? await templateOf(prepare, pool, at) : "template1";
  const numbered = await pool.one<{ number: number }>(NEXT_NUMBER, []);
  const name = `test_${numbered?.number}`;
  await run(pool, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return at(name, async () => {
    await run(pool, `DROP DATABASE ${name} WITH (FORCE)`);
    await admin.close();
  });
}

/** The name of a database that holds the preparation, made by whichever worker comes first. */
async function templateOf(
  { key, run: fill }: Preparation,
  pool: Db,
  at: (name: string, stop: () => Promise<void>) => Database,
): Promise<string> {
  const name = `template_${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
  const draft = `${name}_draft`;
  await pool.rows(LOCK_TEMPLATE, [name]);
  try {
    if (await pool.one(FIND_DATABASE, [name])) return name;
    await run(pool, `DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await run(pool, `CREATE DATABASE ${draft}`);
    const database = at(draft, () => Promise.resolve());
    await fill(database).finally(() => database.close());
    // Only a whole template bears the name.
    await run(pool, `ALTER DATABASE ${draft} RENAME TO ${name}`);
    return name;
  } finally {
    await pool.rows(UNLOCK_TEMPLATE, [name]);
  }
}

const run = (db: Db, text: string): Promise<unknown[]> => db.rows(statement("", text), []);
