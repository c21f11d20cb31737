import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { isConnectionLost, openDatabase, statement, type Database } from "@parley/database";
import { ignorePreparedCluster, startOwnServer, type OwnServer } from "@parley/database/testing";
import { allowanceStore } from "../../src/allowance/store.ts";

// The prepared cluster has another administrator.
ignorePreparedCluster();

const SCHEMA = "calls";
const CREATE = statement(
  "",
  `create table allowances (account_id integer, window_start timestamptz, used integer, primary key (account_id, window_start))`,
);
const COUNT = statement("", "insert into allowances values (2, clock_timestamp(), 1)");
const AWAIT_REPLICA = statement("", "alter system set synchronous_standby_names = 'absent'");
const RELOAD = statement("", "select pg_reload_conf()");

let folder: string;
let server: OwnServer;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-replica-"));
  server = await startOwnServer({ dataFolder: folder, settings: { wal_level: "replica", max_wal_senders: "1" } });
  database = await openDatabase({ dataFolder: "", url: await server.createDatabase("calls") });
  await database.pool(SCHEMA, { max: 1 }).rows(CREATE, []);
  const administrator = await openDatabase({ dataFolder: "", url: server.administratorUrl("postgres") });
  const pool = administrator.pool("public", { max: 1 });
  await pool.rows(AWAIT_REPLICA, []);
  await pool.rows(RELOAD, []);
  await administrator.close();
});
afterAll(async () => {
  await database.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test("calls of an account are leased while the synchronous replica is gone, although other writes wait for it", async () => {
  const pool = database.pool(SCHEMA, { max: 2, statementTimeoutMs: 100 });
  const write = () => pool.rows(COUNT, []).catch((error: unknown) => error);
  // The server takes up its new setting in the background.
  let outcome = await write();
  while (!(outcome instanceof Error)) outcome = await write();
  expect(isConnectionLost(outcome)).toBe(true);
  const window = new Date("2026-01-01T00:00:00Z");
  expect(await allowanceStore(pool).lease(1, window, 10, 100)).toEqual({ used: 10 });
  expect(await allowanceStore(pool).lease(1, window, 10, 15)).toBeUndefined();
});
