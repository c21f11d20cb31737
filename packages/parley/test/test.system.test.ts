import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { appHarness, type AppHarness } from "../../../test/support/app-harness.ts";
import { parley } from "../../../test/support/parley-process.ts";

/** `parley test` runs an app's own tests with a local service. */

jest.setTimeout(90_000);

const GOOD = `
import { world } from "@parley/framework/testing";
let w: Awaited<ReturnType<typeof world>>;
beforeAll(async () => { w = await world({ iparams: { note: "by a test" } }); });
beforeEach(() => w.reset());
afterAll(() => w.close());
test("is installed with the values", async () => {
  await w.api.users.createUser({ body: { first_name: "Ada" } });
  const [set] = await w.invocations({ event: "onAppInstall" });
  expect(set).toMatchObject({ ok: true, payload: { iparams: { note: "by a test" } } });
});
test("sees nothing of the case before", async () => {
  expect((await w.api.users.listUsers({ query: { first_name: "Ada" } })).users).toEqual([]);
  expect(await w.event("onMessageCreate")).toMatchObject({ ok: true });
});
`;
const BAD = `test("is wrong", () => expect(1).toBe(2));`;

/** An app whose handlers use the time, and tests in plain JavaScript of what the harness tells them. */
const PLANNER_MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: {
      events: { onScheduledEvent: { handler: "remind" } },
      functions: { plan: {}, fail: {} },
    },
    chat_conversation: { events: { onMessageCreate: { handler: "fail" } } },
  },
  engines: { node: "20.19.0" },
};
const PLANNER_SERVER = `
exports = {
  plan: async function () {
    const at = new Date(Date.now() + 24 * 3_600_000);
    await $schedule.create({ name: "remind", schedule_at: at.toISOString() });
    const isOwn = new Date() instanceof Date && new Date().constructor === Date && new Date(0).getTime() === 0;
    renderData(null, { now: new Date().toISOString(), text: Date().slice(0, 15), isOwn });
  },
  remind: function () { console.info(new Date(Date.now()).toISOString()); },
  fail: function () { throw new Error("a mistake of the app"); },
};`;
const PLANNER_TEST = `
const { world } = require("@parley/framework/testing");
let w;
beforeAll(async () => { w = await world(); });
beforeEach(() => w.reset());
afterAll(() => w.close());
test("handlers have the clock of the test environment", async () => {
  console.log("printed by the test");
  const { output } = await w.function("plan");
  expect(output).toEqual({ now: "2026-01-05T09:00:00.000Z", text: "Mon Jan 05 2026", isOwn: true });
  await w.clock.advance("23h59m");
  await w.settled();
  expect(await w.invocations({ event: "onScheduledEvent" })).toEqual([]);
  await w.clock.advance("1m");
  await w.settled();
  const [reminder] = await w.invocations({ event: "onScheduledEvent" });
  expect(reminder.lines).toEqual([{ level: "info", text: "2026-01-06T09:00:00.000Z" }]);
});
test("names that do not exist are refused with those that do", async () => {
  await expect(world({ map: {} })).rejects.toThrow("world() has no option 'map'. Use 'maps'.");
  await expect(world({ secrets: {} })).rejects.toThrow("Its options are folder, iparams, maps.");
  expect(() => w.api.users.create({})).toThrow(/^api\\.users has no 'create'\\. It has .*createUser/);
  expect(() => w.api.user).toThrow(/^api has no 'user'\\. It has .*users/);
});
test("a failed handler is told when the test environment has settled", async () => {
  const { id } = await w.api.users.createUser({ body: { first_name: "Ada" } });
  const { channels } = await w.api.channels.listChannels();
  const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Hi" } }] }];
  await w.api.conversations.createConversation({ body: { channel_id: channels[0].id, users: [{ id }], messages } });
  await w.settled();
});
`;

let harness: AppHarness;
const tested = (...args: string[]) => parley(["test", ...args], { cwd: harness.folder });

beforeAll(async () => {
  harness = await appHarness({ "test/good.test.ts": GOOD, "test/bad.test.js": BAD }, false);
});
afterAll(() => harness.close());

test("the clock of an app's handlers is the test environment's, and the harness says what a test in JavaScript can't know", async () => {
  const planner = await appHarness(
    {
      "manifest.json": JSON.stringify(PLANNER_MANIFEST),
      "server/server.ts": undefined,
      "server/server.js": PLANNER_SERVER,
      "config/iparams.json": "{}",
      "config/requests.json": undefined,
      "test/planner.test.cjs": PLANNER_TEST,
    },
    false,
  );
  try {
    const { status, stdout, stderr } = await parley(["test"], { cwd: planner.folder });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    expect(stdout).toContain("printed by the test");
    expect(stderr).toMatch(/^\w+: fail failed on onMessageCreate: Error: a mistake of the app$/m);
  } finally {
    await planner.close();
  }
});

test("parley test prints and counts a failing test, exits with status 1, and leaves the app's folder unchanged", async () => {
  const { status, stdout, stderr } = await tested("--json");
  expect(JSON.parse(stdout)).toEqual({ status: 1, tests: { total: 3, passed: 2, failed: 1 } });
  expect(status).toBe(1);
  expect(stderr).toMatch(/● is wrong/);
  expect(stderr).toMatch(/✓ sees nothing of the case before|PASS test\/good\.test\.ts/);
  expect(await readdir(harness.folder)).not.toContain(".parley");
});

campaignTest(
  "parley test exits with status 0 for passing tests, and passes arguments after -- to the test runner",
  async () => {
    const { status, stderr } = await tested("--", "-t", "installed");
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/1 passed/) });
  },
);

campaignTest(
  "parley test runs the app's own test script, returns its status, and leaves no data of the local service",
  async () => {
    await harness.write("package.json", '{"name": "listener", "scripts": {"test": "node own.mjs"}}');
    const own = "console.log(process.env.PARLEY_WORLD); process.exitCode = 3;";
    await harness.write("own.mjs", own);
    const { status, stdout } = await tested();
    expect(status).toBe(3);
    const started = JSON.parse(stdout) as { service: string; dataFolder: string; apps: unknown };
    expect(started.apps).toMatchObject([{ name: "listener" }]);
    expect(existsSync(started.dataFolder)).toBe(false);
    await expect(fetch(started.service)).rejects.toThrow();
  },
);
