import { chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { isUnavailable, openDatabase, statement, type Database } from "../src/index.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { appUrl, postgresFixture, removeServers, type PostgresFixture } from "./postgres-fixture.ts";

/** One server, to which a proxy still leads when another server has taken over. */
let server: PostgresFixture;
const openings: Promise<Database>[] = [];
const open = (onlyReads: boolean): Promise<Database> => {
  const opening = openDatabase({ dataFolder: "/nowhere", url: appUrl(`127.0.0.1:${server.port}`), onlyReads });
  openings.push(opening);
  return opening;
};

beforeAll(async () => {
  server = await postgresFixture();
});
afterAll(async () => {
  for (const opening of openings) await (await opening).close();
  await server.stop();
  removeServers();
});

const MAKE = statement("", "create table marks (id int primary key)");
const MARK = statement("", "insert into marks values (1)");
const ALL = statement("", "select id from marks");

/** Restarts the server as a replica of nothing, as Patroni does with a primary that it has demoted. */
const demote = async () => {
  await server.stop();
  const signal = join(server.cluster, "standby.signal");
  writeFileSync(signal, "");
  const { uid, gid } = statSync(server.cluster);
  chownSync(signal, uid, gid);
  await server.start();
};
const promote = async () => {
  await server.stop();
  rmSync(join(server.cluster, "standby.signal"));
  await server.start();
};

test("nothing is read from a primary that was demoted, and it is used again as a primary", async () => {
  const pool = (await open(false)).pool("demoted", { max: 2 });
  await pool.rows(MAKE, []);
  await pool.rows(MARK, []);
  await demote();
  // It answers those who want to read only.
  expect(await (await open(true)).pool("demoted", { max: 1 }).rows(ALL, [])).toEqual([{ id: 1 }]);
  for (let turn = 0; turn < 5; turn++)
    expect(
      isUnavailable(
        await pool.rows(ALL, []).then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    ).toBe(true);
  await promote();
  let rows: readonly object[] = [];
  await waitUntil(() =>
    pool.rows<object>(ALL, []).then(
      (read) => {
        rows = read;
        return true;
      },
      (error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return false;
      },
    ),
  );
  expect(rows).toEqual([{ id: 1 }]);
});
