import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Invocation } from "@parley/contract";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../src/db/migrations.ts";
import { type InvocationFilter, invocationStore } from "../src/runtime/invocations/store.ts";
import { createInvocationLog } from "../src/runtime/invocations/invocation-log.ts";

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
const kept = (project: string, most = 1_000) =>
  createInvocationLog({ store: invocationStore(pool), project, most, log: (line) => void lines.push(line) });

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
  const here = kept("whole");
  const [first, second] = [invocation(), invocation({ ok: false, error: "no", stack: "at server.js:1" })];
  here.record(first);
  here.record(second);
  expect(await here.list({})).toEqual([first, second]);
  expect(await kept("whole").find(second.id)).toEqual(second);
  expect(await kept("another").find(second.id)).toBeUndefined();
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
  const here = kept(title);
  const all = [
    invocation({ source: "event-1" }),
    invocation({ handler: "other" }),
    invocation({ kind: "set-up", event: "onAppInstall" }),
    invocation({ ok: false }),
  ];
  all.forEach((one) => here.record(one));
  expect(ids(await here.list(filter))).toEqual(places.map((place) => all[place]?.id));
});

test("a list of invocations starts after an id", async () => {
  const here = kept("after");
  const all = [invocation(), invocation(), invocation()];
  all.forEach((one) => here.record(one));
  expect(ids(await here.list({ after: all[0]?.id ?? "" }))).toEqual(ids(all.slice(1)));
});

test("the newest invocations are kept, up to the configured number", async () => {
  const here = kept("most", 150);
  const others = kept("others", 150);
  others.record(invocation());
  const all = Array.from({ length: 400 }, () => invocation());
  for (const one of all) {
    here.record(one);
    // Real calls arrive over time, not all at once.
    if (count % 50 === 0) await here.written();
  }
  expect(ids(await here.list({ limit: 1_000 }))).toEqual(ids(all.slice(-150)));
  await here.written();
  const [row] = await pool.rows<{ n: number }>(
    statement("", "SELECT count(*)::int AS n FROM invocations WHERE project = 'most'"),
    [],
  );
  // Excess rows are deleted with the next hundred.
  expect(row?.n).toBeLessThanOrEqual(250);
  expect(await others.list({})).toHaveLength(1);
});

test("a follower receives each invocation immediately until it unsubscribes", async () => {
  const here = kept("followed");
  const heard: string[] = [];
  const leave = here.follow(({ id }) => void heard.push(id));
  const first = invocation();
  here.record(first);
  expect(heard).toEqual([first.id]);
  leave();
  here.record(invocation());
  expect(heard).toEqual([first.id]);
  await here.written();
});

test("an invocation that can't be stored is logged and affects neither the caller nor the next one", async () => {
  const here = kept("broken");
  await pool.rows(statement("", "ALTER TABLE invocations RENAME TO elsewhere"), []);
  here.record(invocation());
  await here.written();
  expect(lines.at(-1)).toMatch(/^error: What the app's handlers did could not be kept: .*invocations/);
  await pool.rows(statement("", "ALTER TABLE elsewhere RENAME TO invocations"), []);
  const next = invocation();
  here.record(next);
  expect(ids(await here.list({}))).toEqual([next.id]);
});
