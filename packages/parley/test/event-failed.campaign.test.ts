import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { FailedSchedule } from "@parley/contract";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { appHarness, type AppHarness } from "../../../test/support/app-harness.ts";

/** `parley event failed`: schedules whose retries are exhausted. */

const SERVER = `
exports = {
  install: async function () {
    await $schedule.create({ name: "tidy", data: { days: 3 }, schedule_at: "2020-01-01T00:00:00Z" });
    renderData();
  },
  fired: function () { throw new Error("the shelf is\\n\\u001b[31mfull"); },
};`;
const MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: { events: { onAppInstall: { handler: "install" }, onScheduledEvent: { handler: "fired" } } },
    chat_conversation: {},
  },
};

let harness: AppHarness;
beforeAll(async () => {
  harness = await appHarness({
    "manifest.json": JSON.stringify(MANIFEST),
    "package.json": '{"name": "tidier"}',
    "server/server.ts": undefined,
    "server/server.js": SERVER,
  });
});
afterAll(() => harness.close());

const failed = async () => JSON.parse(await harness.callSuccessfully("event", "failed", "--json")) as FailedSchedule[];

test("parley event failed lists a dead schedule with its reason, and event replay accepts its id", async () => {
  const all = await waitUntil(async () => {
    const found = await failed();
    return found.length > 0 && found;
  });
  expect(all).toMatchObject([{ name: "tidy", data: { days: 3 }, due_time: "2020-01-01T00:00:00.000Z", tries: 3 }]);
  const { id = "" } = all[0] ?? {};
  const text = await harness.callSuccessfully("event", "failed");
  expect(text).not.toContain("\u001b[31m");
  expect(stripVTControlCharacters(text).split("\n")).toEqual([
    `${id}  tidy`,
    expect.stringMatching(/^ {2}due 2020-01-01T00:00:00.000Z, failed \d{4}-/),
    expect.stringMatching(/^ {2}after 3 tries: .*the shelf is .*full$/),
    "Next: fix the handler, then run 'npx parley event replay <id>'.",
    "",
  ]);
  const { status, stdout } = await harness.call("event", "replay", id, "--json");
  expect([status, JSON.parse(stdout)]).toMatchObject([1, { ok: false, payload: { data: { days: 3 } } }]);
  expect(await failed()).toHaveLength(1);
});
