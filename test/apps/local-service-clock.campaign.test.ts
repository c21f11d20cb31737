import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CallRefused, world, type World } from "@parley/framework/testing";
import { waitUntil } from "../support/wait-until.ts";
import { WELCOME_MESSAGE } from "../support/outbound-message-fixture.ts";
import { appHarness, type AppHarness } from "../support/app-harness.ts";
import { ROOT } from "../support/parley-process.ts";

/** Advancing the clock by a day runs everything that an app and its service have scheduled. */

const SERVER = `
exports = {
  onAppInstallHandler: async function () {
    const schedule_at = "2026-01-06T08:00:00.000Z";
    await $schedule.create({ name: "tidy", data: { task: "tidy" }, schedule_at });
    renderData();
  },
  onScheduledEventHandler: function (args) { console.info("it is time to " + args.data.task); },
  onUserCreateHandler: async function () {
    await $db.set("tried", {}, { setIf: "not_exist" }).then(() => { throw new Error("not yet"); }, () => undefined);
  },
};`;
const MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: {
      events: {
        onAppInstall: { handler: "onAppInstallHandler" },
        onScheduledEvent: { handler: "onScheduledEventHandler" },
      },
      requests: { listGroups: {} },
    },
    chat_user: { events: { onUserCreate: { handler: "onUserCreateHandler" } } },
  },
};

/** A provider of outbound messages that fails the first request. */
let requestCount = 0;
const provider = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(++requestCount === 1 ? 500 : 202, { "content-type": "application/json" });
    response.end('{"provider_message_id": "p-1"}');
  });
});

let harness: AppHarness;
let testWorld: World;
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    PARLEY_BIN: join(ROOT, "packages/parley/bin/parley.mjs"),
    PARLEY_OUTBOUND_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/send`,
    PARLEY_OUTBOUND_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
  });
  const files = {
    "manifest.json": JSON.stringify(MANIFEST),
    "server/server.ts": undefined,
    "server/server.js": SERVER,
  };
  harness = await appHarness(files, false);
  testWorld = await world({ folder: harness.folder });
});
afterAll(async () => {
  await testWorld.close();
  await harness.close();
  provider.closeAllConnections();
  provider.close();
});

test("advancing the clock by a day fires the schedule, expires the token and delivers failed messages", async () => {
  await testWorld.clock.freeze();
  const token = await testWorld.newToken({ name: "half a day's", expires_in_seconds: 43_200 });
  const statusOf = async () =>
    (await fetch(`${testWorld.url}/channels`, { headers: { authorization: `Bearer ${token}` } })).status;
  await testWorld.api.users.createUser({ body: { first_name: "Ada" } });
  await testWorld.api.outbound.sendOutboundMessage(WELCOME_MESSAGE);
  const outbound = async () => (await testWorld.api.outbound.listOutboundMessages({})).outbound_messages[0]?.status;
  const welcomes = () => testWorld.invocations({ event: "onUserCreate" });
  await waitUntil(async () => requestCount === 1 && (await welcomes()).length > 0);
  expect([await statusOf(), await outbound(), requestCount]).toEqual([200, "Accepted", 1]);
  expect(await testWorld.invocations({ event: "onScheduledEvent" })).toEqual([]);

  await testWorld.clock.advance("1d");
  await testWorld.settled();
  expect(await testWorld.invocations({ event: "onScheduledEvent" })).toMatchObject([
    { ok: true, kind: "scheduled", lines: [{ text: "it is time to tidy" }] },
  ]);
  expect(await statusOf()).toBe(401);
  const [first, ...more] = await welcomes();
  expect(first).toMatchObject({ ok: false, error: "Error: not yet" });
  expect(more.at(-1)).toMatchObject({ ok: true, source: first?.source });
  await waitUntil(async () => (await outbound()) === "Sent");
  expect(requestCount).toBe(2);
});

test("an invalid call of the local service is rejected with the service's own message", async () => {
  const none = testWorld.api.conversations.getConversation({ params: { conversation_id: "none" } });
  await expect(none).rejects.toThrow(CallRefused);
  await expect(testWorld.function("none")).rejects.toThrow("The manifest names no function none");
});
