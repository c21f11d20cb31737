import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HANDLER_RETRIES, type FailedSchedule, type Invocation } from "@parley/contract";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { defaultHostSettings } from "../../src/environment/settings.ts";
import { appFixture, type AppFixture, type AppFixtureOptions } from "../support/app-fixture.ts";

/** Schedules whose handler fails or whose host stops while the handler runs. */

const HOUR = 3_600_000;

const server = (fails: string) => `
exports = {
  act: async function ({ action, options }) { renderData(null, await $schedule[action](options)); },
  fired: async function ({ data }) {
    if (data.slow) console.log("slow began");
    if (data.slow) await new Promise((go) => setTimeout(go, data.slow));
    if (${fails}) throw new Error("not this time:\\n\\0" + data.word + "!".repeat(2000));
  },
  hear: function () {},
};`;
const common = { functions: { act: {} }, events: { onScheduledEvent: { handler: "fired" } } };

let fixture: AppFixture;
const open = async (options: AppFixtureOptions = {}) => {
  fixture = await appFixture({ server: server("data.fails"), common }, options);
  await fixture.install();
};
afterEach(() => fixture.close());

const at = (ms: number) => new Date(fixture.now().getTime() + ms).toISOString();
const create = async (options: object) => {
  expect(await fixture.call("act", { action: "create", options })).toMatchObject({ ok: true });
};
const fired = () => fixture.invocations("kind=scheduled");
const failed = async () => ((await fixture.requestAsAuthor("schedules/failed")) as { failed: FailedSchedule[] }).failed;
const failedOnes = (count: number) =>
  fixture.until(async () => {
    const all = await failed();
    return all.length >= count ? all : undefined;
  });
const replay = async (id: string) => (await fixture.requestAsAuthor(`invocations/${id}/replay`, {})) as Invocation;

describe("a schedule whose every attempt failed", () => {
  beforeEach(() => open());

  test("was attempted as often and with the same delays as an event of the service", () => {
    expect(defaultHostSettings).toMatchObject({
      scheduleRetryDelaysMs: HANDLER_RETRIES.delaysMs,
      scheduleRetryWindowMs: HANDLER_RETRIES.withinMs,
    });
  });

  test("is kept with its data, its time and the reason over a restart, and continues to recur", async () => {
    const schedule_at = at(HOUR);
    const data = { fails: true, word: "busy" };
    await create({ name: "a", data, schedule_at, repeat: { time_unit: "hours", frequency: 1 } });
    expect(await failed()).toEqual([]);
    fixture.advance(HOUR);
    const [first] = await failedOnes(1);
    expect(first).toEqual({
      id: expect.any(String),
      name: "a",
      data,
      due_time: schedule_at,
      failed_time: expect.any(String),
      tries: 3,
      reason: expect.stringMatching(/not this time:\nbusy!{900,}$/),
    });
    expect(first?.reason).toHaveLength(1_000);
    await fixture.restart();
    expect(await failed()).toEqual([first]);
    fixture.advance(HOUR);
    const [, second] = await failedOnes(2);
    expect(Date.parse(second?.due_time ?? "") - Date.parse(schedule_at)).toBe(HOUR);
    expect(await fired()).toHaveLength(6);
  });

  test("is removed when a replay with its data succeeds", async () => {
    await create({ name: "a", data: { fails: true, word: "busy" }, schedule_at: at(0) });
    const [{ id } = { id: "" }] = await failedOnes(1);
    expect(await replay(id)).toMatchObject({ ok: false, event: "onScheduledEvent" });
    expect(await failed()).toHaveLength(1);
    await fixture.write("server/server.js", server("false"));
    const done = await fixture.until(async () => {
      const again = await replay(id);
      return again.ok ? again : undefined;
    });
    expect(done.payload).toMatchObject({ event: "onScheduledEvent", data: { fails: true, word: "busy" } });
    expect(await failed()).toEqual([]);
    await expect(replay(id)).rejects.toThrow(/no invocation/);
  });

  test("is deleted with the installation", async () => {
    await create({ name: "a", data: { fails: true }, schedule_at: at(0) });
    await failedOnes(1);
    await fixture.host.uninstall();
    expect(await failed()).toEqual([]);
    await fixture.install();
    expect(await failed()).toEqual([]);
  });

  test("is kept once for any number of hosts", async () => {
    await Promise.all([fixture.startAnotherHost(), fixture.startAnotherHost()]);
    await create({ name: "a", data: { fails: true, slow: 30 }, schedule_at: at(HOUR) });
    fixture.advance(HOUR);
    await failedOnes(1);
    await fixture.until(async () => ((await due()) === 0 ? true : undefined));
    expect((await failed()).map(({ tries }) => tries)).toEqual([3]);
    expect(await fired()).toHaveLength(3);
  });
});

const rows = async <T extends object>(text: string): Promise<T[]> => {
  const pool = fixture.database.pool(APP_SCHEMA, { max: 1 });
  const found = await pool.rows<T>(statement("", text), []);
  await pool.end();
  return found;
};
const due = async () => (await rows("select name from schedules where due_time is not null")).length;

test("a slow or failing schedule delays no other", async () => {
  await open();
  await create({ name: "slow", data: { slow: 2_000 }, schedule_at: at(HOUR) });
  for (const name of ["a", "b", "c", "d", "e"]) await create({ name, schedule_at: at(HOUR + 1) });
  fixture.advance(HOUR + 1_000);
  await fixture.until(async () => ((await fired()).length === 5 ? true : undefined));
  expect((await fired()).map(({ source }) => source?.split("/")[2]).sort()).toEqual(["a", "b", "c", "d", "e"]);
  await fixture.until(async () => ((await due()) === 0 ? true : undefined));
  expect(await fired()).toHaveLength(6);
});

test("a schedule starts no attempt after the total time limit", async () => {
  await open({ settings: { scheduleRetryDelaysMs: [10, 10], scheduleRetryWindowMs: 5 } });
  await create({ name: "a", data: { fails: true }, schedule_at: at(0) });
  const [first] = await failedOnes(1);
  expect(first?.tries).toBe(1);
  expect(await fired()).toHaveLength(1);
});

test("the newest failed schedules and those of the last 30 days are kept", async () => {
  await open({ settings: { maxInvocations: 2 } });
  // The call that creates a schedule is answered before the attempts of the schedule take its place among the kept invocations.
  const failAll = async (name: string) => {
    await create({ name, data: { fails: true }, schedule_at: at(HOUR) });
    fixture.advance(HOUR);
    await fixture.until(async () => ((await failed()).at(-1)?.name === name ? true : undefined));
  };
  for (const name of ["a", "b", "c"]) await failAll(name);
  expect((await failed()).map(({ name }) => name)).toEqual(["b", "c"]);
  fixture.advance(31 * 24 * HOUR);
  await failAll("d");
  expect((await failed()).map(({ name }) => name)).toEqual(["d"]);
});

const startsSlowly = async (ms: number) => {
  await create({ name: "a", data: { slow: ms }, schedule_at: at(HOUR) });
  fixture.advance(HOUR);
  await fixture.until(() => fixture.lines.find((line) => line.includes("slow began")));
};

test("a schedule whose handler runs while all database connections are lost fires once", async () => {
  await open();
  await startsSlowly(500);
  await rows(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
  );
  await fixture.until(async () => ((await due()) === 0 ? true : undefined));
  expect((await fired()).map(({ ok }) => ok)).toEqual([true]);
  expect(await failed()).toEqual([]);
});

test("a schedule whose host is closed while its handler runs fires again on the next host", async () => {
  await open();
  await startsSlowly(2_900);
  expect(await due()).toBe(1);
  await fixture.restart();
  await fixture.until(async () => ((await due()) === 0 ? true : undefined));
  expect((await fired()).at(-1)).toMatchObject({ ok: true, source: expect.stringContaining("/a/") });
  expect(await failed()).toEqual([]);
});
