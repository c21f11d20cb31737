import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../src/db/migrations.ts";
import { appFixture, type AppFixture } from "./app-fixture.ts";

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

let stage: AppFixture;
afterEach(() => stage.close());

const TABLES = ["installations", "records", "schedules", "targets", "oauth_tokens"];
const left = async () => {
  const pool = stage.database.pool(APP_SCHEMA);
  const counts = await Promise.all(
    TABLES.map((table) => pool.one<{ n: number }>(statement("", `SELECT count(*)::int AS n FROM ${table}`), [])),
  );
  return Object.fromEntries(TABLES.map((table, index) => [table, counts[index]?.n]));
};

test.each(["", "stay"])(
  "an app that is uninstalled receives the event, and none of its data remains (note: '%s')",
  async (note) => {
    stage = await appFixture(PARTS);
    expect(await stage.install({ note, secret: "s3" })).toEqual({ ok: true });
    const address = (await stage.call("keep")).output as string;
    await stage.host.uninstall();
    expect(stage.lines.join("\n")).toContain("leaving with");
    expect(stage.lines.join("\n")).not.toContain("s3");
    if (note === "stay") expect(stage.lines.join("\n")).toContain("though it said: Please stay");
    expect(await left()).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    expect(await stage.host.installation()).toBeUndefined();
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(404);
    await stage.host.uninstall();
    await stage.install({ note: "", secret: "s4" });
    expect((await stage.call("fetch")).output).toBe("Record not found");
  },
);

test("a paused host finishes the running handler, delays new calls, and continues after a resume", async () => {
  stage = await appFixture(PARTS);
  await stage.install({ note: "", secret: "" });
  const slow = stage.call("slow");
  await stage.until(() => stage.lines.find((line) => line.includes("begun")));
  await stage.host.pause();
  expect((await slow).output).toBe("in time");
  let isAnswered = false;
  const late = stage.call("fetch").then((invocation) => {
    isAnswered = true;
    return invocation;
  });
  const pool = stage.database.pool(APP_SCHEMA);
  const record =
    "INSERT INTO records (project, account, key, value) SELECT project, account, 'k', '{\"n\":9}' FROM installations";
  await pool.rows(statement("", record), []);
  await wait(150);
  expect(isAnswered).toBe(false);
  await stage.host.resume();
  expect((await late).output).toEqual({ n: 9 });
});

test("a schedule that becomes due while the host is paused fires after the resume", async () => {
  stage = await appFixture({
    server: `exports = { fired: function () {}, plan: async function ({ at }) { renderData(null, await $schedule.create({ name: "s", schedule_at: at })); } };`,
    common: { functions: { plan: {} }, events: { onScheduledEvent: { handler: "fired" } } },
  });
  await stage.install();
  await stage.call("plan", { at: new Date(stage.now().getTime() + 60_000).toISOString() });
  await stage.host.pause();
  stage.advance(120_000);
  await wait(100);
  await stage.host.resume();
  await stage.until(async () => ((await stage.invocations("kind=scheduled")).length === 1 ? true : undefined));
});
