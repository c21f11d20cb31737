import { beforeAll, expect, test } from "@jest/globals";
import { isConnectionLost, statement } from "@parley/database";
import { allowanceStore } from "../../../src/identity/allowance/store.ts";
import { absentReplicaFixture } from "../../absent-replica-fixture.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const SCHEMA = "calls";
const CREATE = statement(
  "",
  `create table allowances (account_id integer, window_start timestamptz, used integer, primary key (account_id, window_start))`,
);
const COUNT = statement("", "insert into allowances values (2, clock_timestamp(), 1)");

const replicated = fileFixture(absentReplicaFixture);
beforeAll(async () => {
  await replicated.database.pool(SCHEMA, { max: 1 }).rows(CREATE, []);
  await replicated.awaitReplica(true);
});

test("calls of an account are leased while the synchronous replica is gone, although other writes wait for it", async () => {
  const pool = replicated.database.pool(SCHEMA, { max: 2, statementTimeoutMs: 100 });
  const write = () => pool.rows(COUNT, []).catch((error: unknown) => error);
  // The server takes up its new setting in the background.
  let outcome = await write();
  while (!(outcome instanceof Error)) outcome = await write();
  expect(isConnectionLost(outcome)).toBe(true);
  const window = new Date("2026-01-01T00:00:00Z");
  expect(await allowanceStore(pool).lease(1, window, 10, 100)).toEqual({ used: 10 });
  expect(await allowanceStore(pool).lease(1, window, 10, 15)).toBeUndefined();
});
