import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import type { RecordOwner } from "../../src/state/records.sql.ts";
import { scheduleStore } from "../../src/state/schedules.sql.ts";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

const HOUR = 3_600_000;

/** Its functions call `$schedule` with their arguments. Its schedule handler acts on the schedule's `data`. */
const SERVER = `
exports = {
  act: async function ({ action, options }) {
    try { renderData(null, await $schedule[action](options)); } catch (error) { renderData({ status: error.status, message: error.message }); }
  },
  fired: async function ({ data }) {
    if (data.fails) throw new Error("not this time");
    if (data.again) await $schedule.update({ name: "own", schedule_at: data.again, data: { then: "the end" } });
    if (data.deletes) await $schedule.delete({ name: data.deletes });
    if (data.slow) await new Promise((go) => setTimeout(go, data.slow));
    if (data.held) console.log("on hold");
    while (data.held && !(await $db.get("released").catch(() => undefined))) await new Promise((go) => setTimeout(go, 20));
  },
  release: async function () { await $db.set("released", {}); renderData(); },
};`;
const common = {
  functions: { act: {}, release: {} },
  events: { onScheduledEvent: { handler: "fired" } },
};

let fixture: AppFixture;
beforeEach(async () => {
  fixture = await appFixture({ server: SERVER, common });
  await fixture.install();
});
afterEach(() => fixture.close());

const act = async (action: string, options: unknown) => {
  const { ok, output } = await fixture.call("act", { action, options });
  return ok ? output : { failed: output };
};
const fired = () => fixture.invocations("kind=scheduled");
const count = (wanted: number) =>
  fixture.until(async () => {
    const all = await fired();
    return all.length >= wanted ? all : undefined;
  });
/** Returns the first schedule that a process, by default that of the test's host, reads as due after a delay from now. @units milliseconds */
const due = async (ms = 0, process?: string) => {
  const pool = fixture.database.pool(APP_SCHEMA);
  const owner = await pool.one<RecordOwner>(statement("", "select project, account from schedules"), []);
  const lease = await pool.one<{ process_id: string }>(statement("", "select process_id from installation_leases"), []);
  if (!owner || !lease) throw new Error("the schedule is not stored, or no process holds the installation");
  const served = { live: [owner], published: false, process: process ?? lease.process_id };
  return scheduleStore(pool).due(served, new Date(fixture.now().getTime() + ms), 1);
};
/** Returns the time after a delay from now. @units milliseconds */
const at = (ms: number) => new Date(fixture.now().getTime() + ms).toISOString();

describe("a schedule", () => {
  test("is created, fetched, changed and deleted", async () => {
    const schedule_at = at(HOUR);
    const repeat = { time_unit: "hours", frequency: 2 };
    const given = { name: "mine", data: { a: 1 }, schedule_at, repeat };
    expect(await act("create", given)).toEqual({ status: 200, message: "Schedule created" });
    expect(await act("fetch", { name: "mine" })).toEqual(given);
    expect(await act("update", { name: "mine", data: { b: 2 } })).toEqual({ status: 200, message: "Schedule updated" });
    expect(await act("fetch", { name: "mine" })).toEqual({ ...given, data: { b: 2 } });
    expect(await act("delete", { name: "mine" })).toEqual({ status: 200, message: "Schedule deleted" });
    expect(await act("fetch", { name: "mine" })).toEqual({
      failed: { status: 404, message: "Schedule does not exist" },
    });
  });

  test("that is rejected has a reason and is not stored", async () => {
    const good = { name: "a", schedule_at: at(HOUR) };
    const refused: [string, unknown, number, RegExp][] = [
      ["create", { ...good, name: "x".repeat(31) }, 400, /1 to 30 characters/],
      ["create", { ...good, name: "" }, 400, /1 to 30 characters/],
      ["create", { ...good, data: { a: "x".repeat(4_100) } }, 400, /4 KB/],
      ["create", { ...good, data: [1] }, 400, /an object/],
      ["create", { name: "a" }, 400, /ISO 8601/],
      ["create", { ...good, schedule_at: "tomorrow" }, 400, /ISO 8601/],
      ["create", { ...good, schedule_at: "2030-13-45T00:00:00Z" }, 400, /ISO 8601/],
      ["create", { ...good, repeat: { time_unit: "weeks", frequency: 1 } }, 400, /minutes, hours, days/],
      ["create", { ...good, repeat: { time_unit: "days", frequency: 0 } }, 400, /whole number from 1/],
      ["create", { ...good, repeat: { time_unit: "days", frequency: 1e9 } }, 400, /whole number from 1/],
      ["create", "soon", 400, /an object of options/],
      ["update", good, 404, /Schedule does not exist/],
      ["delete", { name: "a" }, 404, /Schedule does not exist/],
    ];
    for (const [action, options, status, message] of refused)
      expect(await act(action, options)).toEqual({ failed: { status, message: expect.stringMatching(message) } });
    expect(await act("fetch", { name: "a" })).toMatchObject({ failed: { status: 404 } });
  });

  test("of a closed account does not fire, and fires once the account is open again", async () => {
    const pool = fixture.database.pool(APP_SCHEMA);
    await pool.rows(statement("", "insert into closed_accounts select account from installations"), []);
    await act("create", { name: "mine", schedule_at: at(HOUR) });
    fixture.advance(HOUR);
    expect(await due()).toEqual([]);
    await pool.rows(statement("", "delete from closed_accounts"), []);
    expect(await due()).toMatchObject([{ name: "mine" }]);
    fixture.advance(1);
    expect(await count(1)).toHaveLength(1);
  });

  test("with the name of a pending one is rejected; afterwards the name is available again", async () => {
    await act("create", { name: "a", schedule_at: at(HOUR) });
    expect(await act("create", { name: "a", schedule_at: at(HOUR) })).toMatchObject({ failed: { status: 409 } });
    fixture.advance(HOUR);
    await count(1);
    await fixture.until(async () => (await act("create", { name: "a", schedule_at: at(HOUR) })) as object);
    expect(await act("fetch", { name: "a" })).toMatchObject({ name: "a" });
  });
});

describe("a due schedule", () => {
  test("fires once with its data", async () => {
    await act("create", { name: "a", data: { word: "hi" }, schedule_at: at(HOUR) });
    expect(await fired()).toEqual([]);
    fixture.advance(HOUR);
    const [first] = await count(1);
    expect(first).toMatchObject({ event: "onScheduledEvent", handler: "fired", ok: true });
    expect(first?.payload).toMatchObject({ event: "onScheduledEvent", data: { word: "hi" }, iparams: {} });
    fixture.advance(10 * HOUR);
    await act("create", { name: "b", schedule_at: at(-HOUR) });
    // A schedule with a past time fires immediately.
    expect((await count(2)).map(({ source }) => source?.split("/")[2])).toEqual(["a", "b"]);
  });

  test("fires again in its interval, and once for all missed times", async () => {
    await act("create", { name: "a", schedule_at: at(HOUR), repeat: { time_unit: "minutes", frequency: 30 } });
    fixture.advance(HOUR);
    await count(1);
    fixture.advance(HOUR / 2);
    await count(2);
    fixture.advance(100 * HOUR);
    await count(3);
    fixture.advance(HOUR / 2);
    expect(await count(4)).toHaveLength(4);
  });

  test("fires again immediately if its next time passed while its handler ran", async () => {
    const repeat = { time_unit: "minutes", frequency: 30 };
    await act("create", { name: "a", data: { held: true }, schedule_at: at(HOUR), repeat });
    fixture.advance(HOUR);
    await fixture.until(async () => fixture.lines.find((line) => line.includes("on hold")));
    fixture.advance(HOUR / 2);
    expect(await fixture.call("release")).toMatchObject({ ok: true });
    expect(await count(2)).toHaveLength(2);
  });

  campaignTest("fires after a restart, also if it became due meanwhile", async () => {
    await act("create", { name: "a", schedule_at: at(HOUR) });
    await fixture.host.close();
    fixture.advance(2 * HOUR);
    await fixture.restart();
    expect(await count(1)).toHaveLength(1);
  });

  campaignTest("fires once over all hosts of one database", async () => {
    await Promise.all([fixture.startAnotherHost(), fixture.startAnotherHost()]);
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    for (const name of names) await act("create", { name, data: { slow: 50 }, schedule_at: at(HOUR) });
    fixture.advance(HOUR);
    const all = await count(10);
    expect(all.map(({ source }) => source?.split("/")[2]).sort()).toEqual(names);
    const remaining = statement("", "select name from schedules where due_time is not null");
    const pool = fixture.database.pool(APP_SCHEMA);
    await fixture.until(async () => ((await pool.rows(remaining, [])).length === 0 ? true : undefined));
    expect(await fired()).toHaveLength(10);
  });

  test("does not fire for a row that the app has changed since the row was read", async () => {
    await act("create", { name: "a", schedule_at: at(HOUR), repeat: { time_unit: "hours", frequency: 1 } });
    const store = scheduleStore(fixture.database.pool(APP_SCHEMA));
    const [row] = await due(HOUR);
    if (!row) throw new Error("the schedule is not due");
    expect(await due(HOUR, "00000000-0000-4000-8000-000000000000")).toEqual([]);
    expect(await store.isUnchanged(row)).toBe(true);
    const next = new Date(fixture.now().getTime() + 2 * HOUR);
    await store.move(row, next);
    expect(await store.isUnchanged(row)).toBe(false);
    await store.move(row, null);
    expect((await store.find(row, "a"))?.due_time).toEqual(next);
  });

  campaignTest("is attempted three times when its handler fails, then no more for this time", async () => {
    await act("create", { name: "a", data: { fails: true }, schedule_at: at(0) });
    const all = await count(3);
    expect(all.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(new Set(all.map(({ source }) => source)).size).toBe(1);
    await fixture.until(() => fixture.lines.find((line) => line.includes("'a' failed too often")));
    expect(await fired()).toHaveLength(3);
  });

  test("may change or delete itself", async () => {
    await act("create", { name: "own", data: { again: at(2 * HOUR) }, schedule_at: at(HOUR) });
    const repeat = { time_unit: "hours", frequency: 1 };
    await act("create", { name: "last", data: { deletes: "last" }, schedule_at: at(HOUR), repeat });
    fixture.advance(HOUR);
    await count(2);
    fixture.advance(5 * HOUR);
    const all = await count(3);
    expect(all.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(all[2]?.payload).toMatchObject({ data: { then: "the end" } });
    expect(await act("fetch", { name: "last" })).toMatchObject({ failed: { status: 404 } });
  });
});

test("schedules of an installation are deleted when the app rejects the installation", async () => {
  await fixture.close();
  const options = '{ name: "early", data: {}, schedule_at: "2099-01-01T00:00:00.000Z" }';
  fixture = await appFixture({
    server: `exports = {
      start: async function ({ iparams }) {
        await $schedule.create(${options});
        await $db.set("early", { a: 1 });
        renderData(iparams.word === "no" ? { message: "Not today" } : undefined);
      },
      stay: function () { renderData({ message: "Not today" }); },
      fired: function () {},
    };`,
    common: {
      events: {
        onAppInstall: { handler: "start" },
        afterAppUpdate: { handler: "stay" },
        onScheduledEvent: { handler: "fired" },
      },
    },
    iparams: { word: { type: "text", display_name: "Word" } },
  });
  const kept = async () => {
    const rows = (table: string) => fixture.database.pool(APP_SCHEMA).rows(statement("", `select * from ${table}`), []);
    return [(await rows("schedules")).length, (await rows("records")).length];
  };
  expect(await fixture.host.install({ word: "no" })).toMatchObject({ ok: false, message: "Not today" });
  expect(await kept()).toEqual([0, 0]);
  expect(await fixture.host.install({ word: "yes" })).toEqual({ ok: true });
  expect(await kept()).toEqual([1, 1]);
  expect(await fixture.host.install({ word: "no" })).toMatchObject({ ok: false });
  expect(await kept()).toEqual([1, 1]);
});
