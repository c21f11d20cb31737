import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { KEYED_PLANS } from "../../../src/base/db/pools.ts";
import { payloadStore } from "../../../src/events/event-payload/store.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { logStore } from "../../../src/base/log/store.ts";
import { consoleHarness, type ConsoleHarness } from "../../console/console-harness.ts";

const EVENTS = 20_000;
const TIMES = 10;
const PLANS = statement(
  "",
  "select name, custom_plans from pg_prepared_statements where name in ('log_after', 'read_events') order by name",
);

let s: ConsoleHarness;
const pools: Pool[] = [];
beforeAll(async () => {
  s = await consoleHarness();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await s.close();
});

/** Reads as a dispatcher does, on a session whose plans are made while the log is short. -> the session */
const readAsDispatcher = async (settings: Record<string, string>): Promise<Pool> => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1, settings });
  pools.push(pool);
  const log = logStore({ keyed: pool, other: pool });
  const events = payloadStore(pool);
  for (let time = 0; time < TIMES; time++) {
    const rows = await log.readAfter(0, 10);
    expect(rows.length).toBeGreaterThan(0);
    expect(await events.read(rows.map(({ seq }) => seq))).not.toContain(undefined);
  }
  return pool;
};
const customPlans = async (pool: Pool) =>
  Object.fromEntries(
    (await pool.rows<{ name: string; custom_plans: number }>(PLANS, [])).map((row) => [row.name, row.custom_plans]),
  );

test("the statements that every event needs are planned once, and find their rows by index in a long log", async () => {
  await s.conversation("An event");
  const keyed = await readAsDispatcher(KEYED_PLANS);
  const others = await readAsDispatcher({});
  // Each custom plan is one more planning.
  expect((await customPlans(others))["read_events"]).toBeGreaterThanOrEqual(TIMES);
  expect(await customPlans(keyed)).toEqual({ log_after: 0, read_events: 0 });

  await s.sql(
    `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type)
     select nextval('log_positions'), gen_random_uuid(), account_id, partition, kind, entity_id, created_time, actor_type
       from (select * from outbox order by seq limit 1) one, generate_series(1, $1)`,
    [EVENTS],
  );
  const [last] = await s.sql<{ seq: number }>("select max(seq) as seq from outbox", []);
  const after = (last?.seq ?? 0) - 5;
  const explained = await keyed.rows<{ "QUERY PLAN": string }>(
    statement("", `explain (analyze) execute log_after(${after}, 100)`),
    [],
  );
  const text = explained.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).toMatch(/Index Scan .* on outbox .*rows=5\.?0* /);
  expect(text).not.toContain("Seq Scan");
}, 60_000);
