import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { world, type World } from "@parley/framework/testing";
import { waitUntil } from "../../support/wait-until.ts";
import { createCustomer } from "./harness.ts";
import { ROOT, temporaryFolder } from "../../support/parley-process.ts";

/** Data that version 0.1.0 of Concierge left is migrated to the current version under a running host. */

const OLD = {
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: {},
      chat_conversation: { events: { onConversationCreate: { handler: "greeted" } } },
    },
  },
  "config/iparams.json": {
    domain: {
      display_name: "Account",
      type: "domain",
      required: true,
      type_attributes: { product: "freshchat" },
    },
    api_key: {
      display_name: "API key",
      type: "api_key",
      required: true,
      secure: true,
      type_attributes: { product: "freshchat" },
    },
    bot_name: { display_name: "Name of the bot", type: "text", required: true, default_value: "Concierge" },
    welcome: { display_name: "Welcome message", type: "paragraph", required: true, default_value: "Hi" },
    topics: { display_name: "Topics", type: "paragraph", default_value: "" },
    menu: { display_name: "Menu", type: "paragraph", default_value: "" },
  },
  "server/server.js": `exports = {
    greeted: async function ({ data }) {
      await $db.set("greeted:" + data.conversation.conversation_id, { topic: data.associations.channel.name });
    },
  };`,
} as const;
const SETTINGS = {
  bot_name: "Iris",
  welcome: "Hello from {{bot.name}}!",
  topics: "support\nBilling",
  menu: "I need help => Support => High",
};

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
let w: World;
beforeAll(async () => {
  place = await temporaryFolder();
  folder = join(place.folder, "app");
  for (const [file, content] of Object.entries(OLD)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  await cp(join(ROOT, "package.json"), join(folder, "package.json"));
  await symlink(join(ROOT, "node_modules"), join(place.folder, "node_modules"));
  w = await world({ folder, iparams: SETTINGS });
});
afterAll(async () => {
  await w.close();
  await place.remove();
});

const upgrade = async () => {
  for (const part of ["server", "app", "config", "manifest.json"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await waitUntil(async () => (await (await fetch(w.installPage)).text()).includes('id="after_hours"'));
};
const greetingIn = async (topic: string) => (await createCustomer(w, { topic })).botTexts();
const GREETING = "Hello from Iris!";

test("an upgrade keeps the settings and greets no customer twice, before and after they are saved", async () => {
  const ada = await createCustomer(w, { topic: "Support" });
  const [created] = await w.invocations({ event: "onConversationCreate" });
  await upgrade();

  const again = await w.event("onConversationCreate", created?.payload as Record<string, unknown>);
  expect(again).toMatchObject({ ok: true, handler: "onConversationCreateHandler" });
  expect(await ada.botTexts()).toEqual([]);
  await ada.write("I need help");
  expect((await ada.conversation()).assigned_group_id).toBeDefined();

  expect(await greetingIn("Support")).toEqual([GREETING]);
  expect(await greetingIn("Sales")).toEqual([]);
  await w.install();
  expect(await greetingIn("Billing")).toEqual([GREETING]);
  expect(await greetingIn("Sales")).toEqual([]);
  expect((await w.invocations({ event: "afterAppUpdate" })).map(({ ok }) => ok)).toEqual([true]);
});
