import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { CallRefused, world, type World } from "@parley/framework/testing";
import { WELCOME } from "./outbound-message.ts";
import { appHarness, type AppHarness } from "./app-harness.ts";
import { ROOT } from "./parley-process.ts";

/** Advancing the clock by a day runs everything that an app and its service have scheduled. */

jest.setTimeout(60_000);

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
let asked = 0;
const provider = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(++asked === 1 ? 500 : 202, { "content-type": "application/json" });
    response.end('{"provider_message_id": "p-1"}');
  });
});

let stage: AppHarness;
let w: World;
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
  stage = await appHarness(files, false);
  w = await world({ folder: stage.folder });
}, 90_000);
afterAll(async () => {
  await w.close();
  await stage.close();
  provider.closeAllConnections();
  provider.close();
});

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await wait(20);
};

test("advancing the clock by a day fires the schedule, expires the token and delivers failed messages", async () => {
  await w.clock.freeze();
  const token = await w.newToken({ name: "half a day's", expires_in_seconds: 43_200 });
  const statusOf = async () =>
    (await fetch(`${w.url}/channels`, { headers: { authorization: `Bearer ${token}` } })).status;
  await w.api.users.createUser({ body: { first_name: "Ada" } });
  await w.api.outbound.sendOutboundMessage(WELCOME);
  const outbound = async () => (await w.api.outbound.listOutboundMessages({})).outbound_messages[0]?.status;
  const welcomes = () => w.invocations({ event: "onUserCreate" });
  await until(async () => asked === 1 && (await welcomes()).length > 0);
  expect([await statusOf(), await outbound(), asked]).toEqual([200, "Accepted", 1]);
  expect(await w.invocations({ event: "onScheduledEvent" })).toEqual([]);

  await w.clock.advance("1d");
  await w.settled();
  expect(await w.invocations({ event: "onScheduledEvent" })).toMatchObject([
    { ok: true, kind: "scheduled", lines: [{ text: "it is time to tidy" }] },
  ]);
  expect(await statusOf()).toBe(401);
  const [first, ...more] = await welcomes();
  expect(first).toMatchObject({ ok: false, error: "Error: not yet" });
  expect(more.at(-1)).toMatchObject({ ok: true, source: first?.source });
  await until(async () => (await outbound()) === "Sent");
  expect(asked).toBe(2);
});

test("an invalid call of the local service is rejected with the service's own message", async () => {
  const none = w.api.conversations.getConversation({ params: { conversation_id: "none" } });
  await expect(none).rejects.toThrow(CallRefused);
  await expect(w.function("none")).rejects.toThrow("The manifest names no function none");
});
