import { logText } from "@parley/telemetry";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Invocation } from "@parley/contract";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { type InvocationFilter, invocationStore } from "../../src/state/invocations.sql.ts";
import { createInvocationLog } from "../../src/runtime/calls/invocation-log.ts";

let database: Database;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  pool = database.pool(APP_SCHEMA);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const lines: string[] = [];
const createLog = (project: string, maxCount = 1_000) =>
  createInvocationLog({
    store: invocationStore(pool),
    owner: { project, account: "acme" },
    maxInvocations: maxCount,
    log: (...line) => void lines.push(logText(...line)),
  });

let count = 0;
const invocation = (more: Partial<Invocation> = {}): Invocation => ({
  id: `id-${String((count += 1)).padStart(6, "0")}`,
  app: "app",
  account: "acme",
  kind: "product",
  event: "onMessageCreate",
  handler: "hear",
  begun: "2026-01-05T09:00:00.000Z",
  ms: 1.5,
  ok: true,
  payload: { text: "ü\u0000😀\ud800" },
  lines: [{ level: "info", text: "hello" }],
  requests: [],
  ...more,
});
const ids = (all: readonly Invocation[]) => all.map(({ id }) => id);

test("recorded invocations are returned completely, newest last, also on another host of the same database", async () => {
  const fixture = createLog("whole");
  const [first, second] = [invocation(), invocation({ ok: false, error: "no", stack: "at server.js:1" })];
  fixture.record(first);
  fixture.record(second);
  expect(await fixture.list({})).toEqual([first, second]);
  expect(await createLog("whole").find(second.id)).toEqual(second);
  expect(await createLog("another").find(second.id)).toBeUndefined();
});

test.each<[string, InvocationFilter, number[]]>([
  ["nothing", {}, [0, 1, 2, 3]],
  ["a handler", { handler: "other" }, [1]],
  ["an event", { event: "onAppInstall" }, [2]],
  ["a kind", { kind: "set-up" }, [2]],
  ["failures", { ok: false }, [3]],
  ["successes", { ok: true }, [0, 1, 2]],
  ["a source", { source: "event-1" }, [0]],
  ["a number of the newest", { limit: 2 }, [2, 3]],
  ["two things at once", { ok: false, event: "onAppInstall" }, []],
])("a list of invocations is filtered by %s", async (title, filter, places) => {
  const fixture = createLog(title);
  const all = [
    invocation({ source: "event-1" }),
    invocation({ handler: "other" }),
    invocation({ kind: "set-up", event: "onAppInstall" }),
    invocation({ ok: false }),
  ];
  all.forEach((one) => fixture.record(one));
  expect(ids(await fixture.list(filter))).toEqual(places.map((place) => all[place]?.id));
});

test("a list of invocations starts after an id", async () => {
  const fixture = createLog("after");
  const all = [invocation(), invocation(), invocation()];
  all.forEach((one) => fixture.record(one));
  expect(ids(await fixture.list({ after: all[0]?.id ?? "" }))).toEqual(ids(all.slice(1)));
});

test("the newest invocations are kept, up to the configured number", async () => {
  const fixture = createLog("most", 150);
  const others = createLog("others", 150);
  others.record(invocation());
  const all = Array.from({ length: 400 }, () => invocation());
  for (const one of all) {
    fixture.record(one);
    // Real calls arrive over time, not all at once.
    if (count % 50 === 0) await fixture.written();
  }
  expect(ids(await fixture.list({ limit: 1_000 }))).toEqual(ids(all.slice(-150)));
  await fixture.written();
  const [row] = await pool.rows<{ n: number }>(
    statement("", "select count(*)::int as n from invocations where project = 'most'"),
    [],
  );
  // Excess rows are deleted with the next hundred.
  expect(row?.n).toBeLessThanOrEqual(250);
  expect(await others.list({})).toHaveLength(1);
});

test("a follower receives each invocation immediately until it unsubscribes", async () => {
  const fixture = createLog("followed");
  const received: string[] = [];
  const leave = fixture.follow(({ id }) => void received.push(id));
  const first = invocation();
  fixture.record(first);
  expect(received).toEqual([first.id]);
  leave();
  fixture.record(invocation());
  expect(received).toEqual([first.id]);
  await fixture.written();
});

test("an invocation that can't be stored is logged and affects neither the caller nor the next one", async () => {
  const fixture = createLog("broken");
  await pool.rows(statement("", "alter table invocations rename to elsewhere"), []);
  fixture.record(invocation());
  await fixture.written();
  expect(lines.at(-1)).toMatch(/^error: The app's invocations could not be stored: .*invocations/);
  await pool.rows(statement("", "alter table elsewhere rename to invocations"), []);
  const next = invocation();
  fixture.record(next);
  expect(ids(await fixture.list({}))).toEqual([next.id]);
});
