import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import type { EventPayload, SetUpPayload } from "@parley/framework/sdk";
import { matchesSchema, IparamsConfig, Manifest, PRODUCT_EVENTS, RequestTemplates } from "@parley/contract";
import * as callbacks from "../../../config/assets/iparams.ts";
import { TOPICS_HINT } from "../../../config/assets/page/form.ts";
import { HINTS, DRY_RUN_PROMPT } from "../../../config/assets/page/hints.ts";
import { settingRefusalOf } from "../../../server/set-up.ts";
import { findChoice, parseMenu } from "../../../server/lib/menu.ts";
import server from "../../../server/server.ts";
import { settingsOf, visibleSettingsOf } from "../../../server/lib/settings.ts";
import { parseMessageTemplate } from "../../../server/lib/template.ts";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const json = (path: string): unknown => JSON.parse(readFileSync(at(path), "utf8"));

const manifest = json("manifest.json") as Manifest;
const iparams = json("config/iparams.json") as IparamsConfig;
const requests = json("config/requests.json") as RequestTemplates;
const defaults = Object.fromEntries(
  Object.entries(iparams).map(([key, { default_value }]) => [key, default_value ?? ""]),
);

test("manifest, parameters and requests have the framework's shapes", () => {
  expect(matchesSchema(Manifest, manifest)).toBe(true);
  expect(matchesSchema(IparamsConfig, iparams)).toBe(true);
  expect(matchesSchema(RequestTemplates, requests)).toBe(true);
});

test("every event of the manifest has its handler, and every request its template", () => {
  const events = Object.values(manifest.modules).flatMap((module) => Object.values(module.events ?? {}));
  const functions = Object.keys(manifest.modules["common"]?.functions ?? {});
  expect([...events.map(({ handler }) => handler), ...functions].sort()).toEqual(Object.keys(server).sort());
  expect(Object.keys(manifest.modules["common"]?.requests ?? {}).sort()).toEqual(Object.keys(requests).sort());
});

test("every change callback of the parameters exists", () => {
  const named = Object.values(iparams).flatMap(({ events = [] }) => events.map(({ change }) => change));
  expect([...new Set([...named, "onFormLoad"])].sort()).toEqual(Object.keys(callbacks).sort());
});

test("a hint ends with the parameter's description, which it replaces", () => {
  const written = Object.keys(HINTS).map((key) => [key, iparams[key]?.description]);
  expect(Object.fromEntries(written)).toEqual(
    Object.fromEntries(Object.entries(HINTS).map(([key, { description }]) => [key, description])),
  );
  expect(DRY_RUN_PROMPT).toBe(iparams["try_message"]?.description);
  expect(TOPICS_HINT).toBe(iparams["topics"]?.description);
});

test("all 13 parameter types are used, and the parameters of a feature are hidden while it is off", () => {
  expect(new Set(Object.values(iparams).map(({ type }) => type)).size).toBe(13);
  const hidden = Object.keys(iparams).filter((key) => iparams[key]?.visible === false);
  const shown = Object.entries(visibleSettingsOf(settingsOf(defaults)));
  expect(hidden.sort()).toEqual(shown.flatMap(([key, isShown]) => (isShown ? [] : [key])).sort());
});

test("the secure parameter occurs in headers only, in every request", () => {
  const secure = Object.keys(iparams).filter((key) => iparams[key]?.secure);
  for (const { schema } of Object.values(requests)) {
    const { headers, ...rest } = schema;
    expect(headers?.["Authorization"]).toMatch(/iparam\.(api_key|sync_secret)/);
    for (const key of secure) expect(JSON.stringify(rest)).not.toContain(key);
  }
});

test("no template that sends a message is retried by the request method", () => {
  expect(requests["sendMessage"]?.options?.maxAttempts).toBe(1);
});

describe("the default settings", () => {
  test("can be installed unchanged", () => {
    expect(settingRefusalOf(defaults)).toBeUndefined();
  });
  test("have a menu of Sales, Support and Billing, each with a priority", () => {
    const { choices } = parseMenu(settingsOf(defaults).menu);
    expect(choices.map(({ group }) => group)).toEqual(["Sales", "Support", "Billing"]);
    expect(choices.every(({ priority }) => priority)).toBe(true);
  });
});

test.each([
  [{ welcome: "Hi\n{{#each user}}{{/each}}" }, "The welcome message can't be read: see line 2."],
  [{ menu: "Buy => Sales\n\nHelp" }, "The menu can't be read: see line 3."],
  [{ welcome: `${"\n".repeat(3_000)}{{` }, "The welcome message can't be read: see line 3001."],
])("settings that can't be used are refused within the 60 characters that are shown: %#", (settings, refusal) => {
  const { short } = settingRefusalOf({ ...defaults, ...settings }) ?? { short: "" };
  expect(short).toBe(refusal);
  expect(short.length).toBeLessThanOrEqual(60);
});

test("icon and page of the panel exist and reference no other host", () => {
  const place = manifest.modules["chat_conversation"]?.location?.["conversation_user_info"];
  expect(existsSync(at(`app/${place?.icon}`))).toBe(true);
  const page = readFileSync(at(`app/${place?.url}`), "utf8");
  expect(page).toContain("{{{appclient}}}");
  expect(page).not.toMatch(/https?:|src="\/\/|href="\/\//);
  for (const [, file] of page.matchAll(/(?:href|src)="([^"]+)"/g)) expect(existsSync(at(`app/${file}`))).toBe(true);
});

describe("the sample payloads", () => {
  const created = json("server/test_data/onConversationCreate.json") as EventPayload;
  const written = json("server/test_data/onMessageCreate.json") as EventPayload;
  const installed = json("server/test_data/onAppInstall.json") as SetUpPayload;

  test("have the names of their events and no secure parameter", () => {
    const names = Object.values(PRODUCT_EVENTS).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([created.event, written.event]));
    expect(installed.event).toBe("onAppInstall");
    for (const sample of [created, written, installed]) expect(JSON.stringify(sample)).not.toContain("api_key");
  });
  test("lead to actions of Concierge", () => {
    const { menu, welcome, botName } = settingsOf(written.iparams);
    const read = parseMessageTemplate(welcome);
    expect(read.ok && read.render({ ...created.data.associations, bot: { name: botName } })).toContain("Ada");
    const text = written.data.message?.messages?.[0]?.message_parts[0]?.text?.content ?? "";
    expect(findChoice(parseMenu(menu).choices, text)?.group).toBe("Support");
  });
});
