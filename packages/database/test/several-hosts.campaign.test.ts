import { logText } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase, statement, type Database } from "../src/index.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { appUrl, postgresFixture, removeServers, type PostgresFixture } from "./postgres-fixture.ts";

/** A primary, its replica, and URLs with both hosts. */
let primary: PostgresFixture;
let replica: PostgresFixture;
beforeAll(async () => {
  primary = await postgresFixture({ settings: { wal_level: "replica", hot_standby: "on" } });
  replica = await primary.replica();
});
afterAll(async () => {
  await replica.stop();
  await primary.stop();
  removeServers();
});

const hosts = () => ({
  both: `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`,
  turned: `127.0.0.1:${replica.port},127.0.0.1:${primary.port}`,
});
const open = (list: string, attributes?: string, onlyReads = true) =>
  openDatabase({
    dataFolder: "/nowhere",
    onlyReads,
    url: appUrl(list, attributes && `target_session_attrs=${attributes}`),
  });

const PORT = statement("", "select inet_server_port() as port");
const portOf = async (database: Database): Promise<number | undefined> =>
  (await database.pool("public", { max: 1 }).one<{ port: number }>(PORT, []))?.port;

describe("target_session_attrs with several hosts", () => {
  test.each([
    [undefined, "primary", "replica"],
    ["any", "primary", "replica"],
    ["read-write", "primary", "primary"],
    ["primary", "primary", "primary"],
    ["read-only", "replica", "replica"],
    ["standby", "replica", "replica"],
    ["prefer-standby", "replica", "replica"],
  ])("%s chooses the %s where the primary is first, and the %s where the replica is", async (attributes, ...chosen) => {
    const ports = { primary: primary.port, replica: replica.port };
    for (const [index, list] of [hosts().both, hosts().turned].entries()) {
      const database = await open(list, attributes);
      expect(await portOf(database)).toBe(ports[chosen[index] as keyof typeof ports]);
      await database.close();
    }
  });

  test("skips a host that does not respond", async () => {
    const database = await open(`127.0.0.1:1,${hosts().turned}`, "read-write");
    expect(await portOf(database)).toBe(primary.port);
    await database.close();
  });

  test.each([
    ["127.0.0.1:1,127.0.0.1:2", "any", /127\.0\.0\.1:1: .*ECONNREFUSED.*127\.0\.0\.1:2: .*ECONNREFUSED/],
    ["primary", "standby", /no server is standby \(target_session_attrs\): 127\.0\.0\.1:\d+ takes writes/],
    ["replica", "read-write", /no server is read-write .* is a read-only replica/],
  ])("%s for %s is refused with one line that describes each host", async (list, attributes, reason) => {
    const place = { primary: `127.0.0.1:${primary.port}`, replica: `127.0.0.1:${replica.port}` }[list] ?? list;
    const error = await open(place, attributes).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.name).toBe("DatabaseUnavailable");
    expect(error?.message).toMatch(reason);
    expect(error?.message).not.toMatch(/p@ss|p%40ss|\n/);
  });

  test("reports a wrong password at once, without trying the next host", async () => {
    const url = appUrl(hosts().both).replace(/:[^:@]*@/, ":wrong@");
    await expect(openDatabase({ dataFolder: "", url })).rejects.toThrow(
      /password authentication failed for user "app"/,
    );
  });
});

test("a replica alone is refused if data must be written", async () => {
  await expect(open(`127.0.0.1:${replica.port}`, undefined, false)).rejects.toThrow(
    /is a read-only replica\. Set DATABASE_URL to the primary/,
  );
});

test("a read-only server is refused if data is to be written", async () => {
  await primary.sql("alter role app set default_transaction_read_only = on");
  try {
    await expect(open(`127.0.0.1:${primary.port}`, undefined, false)).rejects.toThrow(
      /takes no writes: default_transaction_read_only is on/,
    );
  } finally {
    await primary.sql("alter role app reset default_transaction_read_only");
  }
});

const MAKE = statement("", "create table if not exists marks (id int primary key)");
const ALL = statement("", "select id from marks order by id");
const MARK = statement("mark", "insert into marks values ($1) on conflict do nothing");

test("when the primary stops and the replica is promoted, pools and connections continue there with every acknowledged row", async () => {
  const lines: string[] = [];
  const url = appUrl(hosts().both, "target_session_attrs=read-write");
  const database = await openDatabase({
    dataFolder: "/nowhere",
    url,
    log: (...line) => void lines.push(logText(...line)),
  });
  const pool = database.pool("marked", { max: 3 });
  const driver = await database.driverPool("marked");
  await pool.rows(MAKE, []);
  await primary.sql("alter system set synchronous_standby_names = '*'");
  await primary.sql("select pg_reload_conf()");

  const acknowledged: number[] = [];
  let isOver = false;
  const writing = (async () => {
    for (let id = 0; !isOver; id++) {
      await pool.rows(MARK, [id]).then(
        () => acknowledged.push(id),
        () => undefined,
      );
      await setTimeout(5);
    }
  })();
  while (acknowledged.length < 50) await setTimeout(10);
  await primary.stop();
  const before = acknowledged.length;
  await replica.sql("select pg_promote()");
  await replica.sql("alter system set synchronous_standby_names = ''");
  await replica.sql("select pg_reload_conf()");
  await waitUntil(() => acknowledged.length >= before + 50, { details: () => lines.join("\n") });
  isOver = true;
  await writing;
  const stored = new Set((await pool.rows<{ id: number }>(ALL, [])).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(await portOf(database)).toBe(replica.port);
  expect((await driver.query<{ port: number }>("select inet_server_port() as port")).rows[0]?.port).toBe(replica.port);
  expect(lines.filter((line) => line.includes("can't be reached")).length).toBeLessThanOrEqual(1);
  await database.close();
  await primary.start();
});
