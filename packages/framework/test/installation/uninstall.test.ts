import { afterEach, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

const SERVER = `
exports = {
  keep: async function () {
    await $db.set("k", { n: 1 });
    await $schedule.create({ name: "s", schedule_at: "2199-01-01T00:00:00Z" });
    renderData(null, await generateTargetUrl());
  },
  fetch: async function () { renderData(null, await $db.get("k").catch((error) => error.message)); },
  slow: async function () { console.info("begun"); await new Promise((go) => setTimeout(go, 600)); renderData(null, "in time"); },
  heard: function () {},
  gone: async function ({ iparams }) {
    console.info("leaving with " + JSON.stringify([iparams, await $db.get("k")]));
    renderData(iparams.note === "stay" ? { message: "Please stay" } : undefined);
  },
};`;
const PARTS = {
  server: SERVER,
  iparams: {
    note: { display_name: "Note", type: "text" },
    secret: { display_name: "Secret", type: "text", secure: true },
  },
  common: {
    functions: { keep: {}, fetch: {}, slow: {} },
    events: { onAppUninstall: { handler: "gone" }, onExternalEvent: { handler: "heard" } },
  },
} as const;

let fixture: AppFixture;
afterEach(() => fixture.close());

const TABLES = ["installations", "records", "schedules", "targets", "oauth_tokens"];
const remainingRows = async () => {
  const pool = fixture.database.pool(APP_SCHEMA);
  const counts = await Promise.all(
    TABLES.map((table) => pool.one<{ n: number }>(statement("", `select count(*)::int as n from ${table}`), [])),
  );
  return Object.fromEntries(TABLES.map((table, index) => [table, counts[index]?.n]));
};

test.each(["", "stay"])(
  "an app that is uninstalled receives the event, and none of its data remains (note: '%s')",
  async (note) => {
    fixture = await appFixture(PARTS);
    expect(await fixture.install({ note, secret: "s3" })).toEqual({ ok: true });
    const address = (await fixture.call("keep")).output as string;
    await fixture.host.uninstall();
    expect(fixture.lines.join("\n")).toContain("leaving with");
    expect(fixture.lines.join("\n")).not.toContain("s3");
    if (note === "stay")
      expect(fixture.lines.join("\n")).toContain("although its onAppUninstall handler refused or failed: Please stay");
    expect(await remainingRows()).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    expect(await fixture.host.installation()).toBeUndefined();
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(404);
    await fixture.host.uninstall();
    await fixture.install({ note: "", secret: "s4" });
    expect((await fixture.call("fetch")).output).toBe("Record not found");
  },
);

test("a paused host finishes the running handler, delays new calls, and continues after a resume", async () => {
  fixture = await appFixture(PARTS);
  await fixture.install({ note: "", secret: "" });
  const slow = fixture.call("slow");
  await fixture.until(() => fixture.lines.find((line) => line.includes("begun")));
  await fixture.host.pause();
  expect((await slow).output).toBe("in time");
  const order: string[] = [];
  const pendingCall = fixture.call("fetch").finally(() => order.push("the call is answered"));
  // Each of these uses the event loop and the database of the host as the call would. A call that is not delayed needs far fewer.
  for (let turn = 0; turn < 100; turn += 1) await fixture.host.installation();
  const pool = fixture.database.pool(APP_SCHEMA);
  const record =
    "insert into records (project, account, key, value) select project, account, 'k', '{\"n\":9}' from installations";
  await pool.rows(statement("", record), []);
  order.push("the host resumes");
  await fixture.host.resume();
  expect((await pendingCall).output).toEqual({ n: 9 });
  expect(order).toEqual(["the host resumes", "the call is answered"]);
});

test("a schedule that becomes due while the host is paused fires after the resume", async () => {
  fixture = await appFixture({
    server: `exports = { fired: function () {}, plan: async function ({ at }) { renderData(null, await $schedule.create({ name: "s", schedule_at: at })); } };`,
    common: { functions: { plan: {} }, events: { onScheduledEvent: { handler: "fired" } } },
  });
  await fixture.install();
  await fixture.call("plan", { at: new Date(fixture.now().getTime() + 60_000).toISOString() });
  await fixture.host.pause();
  fixture.advance(120_000);
  await fixture.host.resume();
  await fixture.until(async () => ((await fixture.invocations("kind=scheduled")).length === 1 ? true : undefined));
});
