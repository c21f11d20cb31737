import { describe, expect, test } from "@jest/globals";
import type { IparamValues } from "@parley/contract";
import { settingRefusalOf } from "../../../server/set-up.ts";
import {
  SETTING_CHECKS,
  settingProblemsAt,
  problemMessage,
  type CheckedSetting,
  countryProblem,
  phoneProblem,
} from "../../../server/lib/setting-checks.ts";
import { settingsOf, REQUIRED_WHEN_VISIBLE, visibleSettingsOf } from "../../../server/lib/settings.ts";
import { zoneProblem } from "../../../server/lib/time-zone.ts";

/** Every feature is enabled. */
const ALL: IparamValues = {
  bot_name: "Concierge",
  leads: true,
  after_hours: true,
  follow_up: true,
  csat: true,
  csat_low: "2",
  sync_in: true,
  sync_out: true,
  digest: true,
  outbound_events: "order.shipped => order_shipped (en_US): {{data.number}}",
};
const messageAt = (key: CheckedSetting, iparams: IparamValues) =>
  problemMessage(key, settingProblemsAt(key, settingsOf({ ...ALL, ...iparams })));

describe("a setting has a problem", () => {
  test.each<[CheckedSetting, IparamValues, string | undefined]>([
    ["bot_name", { bot_name: "x".repeat(60) }, undefined],
    ["bot_name", { bot_name: "x".repeat(61) }, "A name has at most 60 characters."],
    ["business_phone", { business_phone: "" }, undefined],
    ["business_phone", { business_phone: "+1 202 555 0147" }, undefined],
    ["business_phone", { business_phone: "+1 555 0100" }, "It has too few or too many digits for its country."],
    ["time_zone", { time_zone: "Europe/Berlin" }, undefined],
    ["time_zone", { time_zone: "Berlin" }, 'There is no time zone "Berlin". Is it Europe/Berlin?'],
    ["welcome", { welcome: "Hi {{user.first_name}}" }, undefined],
    ["welcome", { welcome: "" }, undefined],
    [
      "welcome",
      { welcome: "Hi\n{{user." },
      "Line 2: something isn't closed: {{ needs its }}, and {{#if …}} its {{/if}}.",
    ],
    ["welcome", { welcome: "{{usr.first_name}}" }, "Line 1: the text says nothing to anyone."],
    ["topic_welcomes", { topic_welcomes: "Sales" }, 'Line 1: write "Topic => message".'],
    ["welcome_back", { welcome_back: "{{#if}}" }, expect.stringMatching(/^Line 1: /) as unknown as string],
    [
      "menu",
      { menu: "Buy => Sales\nHelp" },
      expect.stringMatching(/^Line 2: write "Label => group"/) as unknown as string,
    ],
    ["choice_reply", { choice_reply: "{{choice.label}}" }, undefined],
    ["choice_reply", { choice_reply: "{{" }, expect.stringMatching(/^Line 1: /) as unknown as string],
    ["lead_consent", { lead_consent: "{{lead.value}}?" }, undefined],
    ["lead_consent", { lead_consent: "{{lead.valu}}" }, "Line 1: the text says nothing to anyone."],
    ["lead_country", { lead_country: "de" }, undefined],
    [
      "lead_country",
      { lead_country: "XX" },
      '"XX" is not the code of a country: write two letters, such as US, GB or DE.',
    ],
    [
      "rules",
      { rules: "keyword x" },
      expect.stringMatching(/^Line 1: write "condition => action"/) as unknown as string,
    ],
    ["hours", { hours: "Mon 9-17" }, expect.stringMatching(/^Line 1: write days and times/) as unknown as string],
    [
      "holidays",
      { holidays: "Christmas" },
      expect.stringMatching(/^Line 1: write "2026-12-25 Christmas"/) as unknown as string,
    ],
    ["away_message", { away_message: "{{opening.day}}" }, undefined],
    ["away_message", { away_message: "{{#if x}}" }, expect.stringMatching(/^Line 1: /) as unknown as string],
    ["opening_message", { opening_message: "{{>x}}" }, expect.stringMatching(/^Line 1: /) as unknown as string],
    ["nudge_hours", { nudge_hours: 1 }, undefined],
    ["nudge_hours", { nudge_hours: 720 }, undefined],
    ["nudge_hours", { nudge_hours: 0 }, "It must be from 1 to 720."],
    ["nudge_hours", { nudge_hours: 721 }, "It must be from 1 to 720."],
    ["nudge_message", { nudge_message: "{{x}}" }, "Line 1: the text says nothing to anyone."],
    ["resolve_hours", { resolve_hours: 0 }, undefined],
    ["resolve_hours", { resolve_hours: -1 }, "It must be from 0 to 720."],
    ["csat_question", { csat_question: "{{x}}" }, "Line 1: the text says nothing to anyone."],
    [
      "outbound_events",
      { outbound_events: "x" },
      expect.stringMatching(/^Line 1: write "event => template/) as unknown as string,
    ],
    [
      "outbound_from",
      { outbound_from: "202 555 0147" },
      "The number must begin with + and its country, such as +1 202 555 0147.",
    ],
    ["sync_url", { sync_url: "https://crm.example.com/hook?x=1" }, undefined],
    ["sync_url", { sync_url: "https://localhost/hook" }, "The address must name a host, such as crm.example.com."],
    ["digest_to", { digest_to: "The other system", sync_out: true }, undefined],
    ["digest_to", { digest_to: "A conversation", sync_out: false }, undefined],
    [
      "digest_to",
      { digest_to: "The other system", sync_out: false },
      'Turn on "Tell another system", and give its address.',
    ],
    ["digest_conversation", { digest_conversation: "0c5a-1_b" }, undefined],
    [
      "digest_conversation",
      { digest_conversation: "https://acme/1" },
      "A conversation's id has letters, digits and hyphens only.",
    ],
    ["reply_templates", { reply_templates: "Thanks" }, 'Line 1: write "Name => text".'],
  ])("%s: %j", (key, iparams, sentence) => {
    expect(messageAt(key, iparams)).toEqual(sentence);
  });
});

describe("settings of a feature that is off are neither shown nor checked", () => {
  test.each<[IparamValues, readonly CheckedSetting[]]>([
    [{ leads: false, lead_country: "XX", lead_consent: "{{" }, ["lead_consent", "lead_country"]],
    [
      { after_hours: false, hours: "x", holidays: "x", away_message: "{{", opening_message: "{{" },
      ["hours", "holidays", "away_message", "opening_message"],
    ],
    [
      { follow_up: false, nudge_hours: 0, resolve_hours: -1, nudge_message: "{{" },
      ["nudge_hours", "nudge_message", "resolve_hours"],
    ],
    [{ csat: false, csat_question: "{{" }, ["csat_question"]],
    [{ sync_in: false, outbound_events: "x", outbound_from: "1" }, ["outbound_events", "outbound_from"]],
    [{ outbound_events: " ", outbound_from: "1" }, ["outbound_from"]],
    [{ sync_out: false, sync_url: "x" }, ["sync_url"]],
    [
      { digest: false, digest_to: "The other system", sync_out: false, digest_conversation: "/" },
      ["digest_to", "digest_conversation"],
    ],
    [{ digest_to: "The other system", digest_conversation: "/" }, ["digest_conversation"]],
  ])("%j", (iparams, keys) => {
    const shown: Readonly<Record<string, boolean>> = visibleSettingsOf(settingsOf({ ...ALL, ...iparams }));
    for (const key of keys) expect([key, shown[key], messageAt(key, iparams)]).toEqual([key, false, undefined]);
  });

  test("all settings are shown with every feature on, except the escalation group if no rating is low", () => {
    const isShown = (iparams: IparamValues) => visibleSettingsOf(settingsOf({ ...ALL, ...iparams }));
    expect(new Set(Object.values(isShown({})))).toEqual(new Set([true]));
    expect(isShown({ csat_low: "None" })).toMatchObject({ csat_low: true, escalation_group: false });
    expect(isShown({ csat: false }).escalation_group).toBe(false);
  });
});

describe("names in settings are checked against the account", () => {
  const accountNames = {
    groups: [{ id: "g", name: "Sales" }],
    topics: [{ name: "Support" }],
    agents: [],
    fields: [],
  };
  test.each<["menu" | "topic_welcomes" | "rules", string, readonly string[], string | undefined]>([
    ["menu", "Buy => sales", ["groups"], undefined],
    ["menu", "Buy => Billing", ["groups"], 'the account has no group "Billing". It has Sales.'],
    ["topic_welcomes", "support => Hi", ["topics"], undefined],
    ["topic_welcomes", "Sales => Hi", ["topics"], 'the account has no topic "Sales". It has Support.'],
    ["rules", "", [], undefined],
    ["rules", "always => priority High", [], undefined],
    ["rules", "topic Sales => priority High", ["topics"], 'the account has no topic "Sales". It has Support.'],
    ["rules", "always => group Billing", ["groups"], 'the account has no group "Billing". It has Sales.'],
    [
      "rules",
      "always => agent ben@example.com",
      ["groups", "agents"],
      'the account has no agent "ben@example.com". It has .',
    ],
    ["rules", "always => cf_x = y", ["fields"], 'the account has no property "cf_x". It has .'],
  ])("%s: %s needs %j", (key, text, of, message) => {
    const settings = settingsOf({ menu: "", topic_welcomes: "", [key]: text });
    const { names } = SETTING_CHECKS[key];
    expect(names?.of(settings)).toEqual(of);
    expect(names?.unknown(settings, accountNames)).toEqual(message === undefined ? [] : [{ line: 1, message }]);
    expect(names?.unknown(settings, {})).toEqual([]);
  });
});

describe("an installation from the command line is refused", () => {
  test.each<[IparamValues, string]>([
    [{ time_zone: "Berlin" }, "The time zone can't be used."],
    [{ welcome: "Hi\n{{" }, "The welcome message can't be read: see line 2."],
    [{ rules: "\n\nx" }, "The list of routing rules can't be read: see line 3."],
    [{ after_hours: true, hours: "" }, "The list of business hours is missing."],
    [{ sync_out: true, sync_url: " " }, "The other system's address is missing."],
    [{ digest: true, digest_conversation: "" }, "The report's conversation is missing."],
    [{ sync_in: true, outbound_events: "a => b (en)", outbound_from: "" }, "The sender of messages is missing."],
  ])("with %j", (iparams, short) => {
    const refusal = settingRefusalOf(iparams);
    expect(refusal?.short).toBe(short);
    expect(refusal?.problem.message).toMatch(/[.?]$/);
  });
  test("within the 60 characters that are shown, for every setting", () => {
    for (const { what, isLines } of Object.values(SETTING_CHECKS))
      expect(`${what} can't be ${isLines ? "read: see line 9999" : "used"}.`.length).toBeLessThanOrEqual(60);
  });
  test("not for absent settings, nor for settings of a feature that is off", () => {
    expect(settingRefusalOf({})).toBeUndefined();
    expect(settingRefusalOf({ after_hours: true, sync_out: true, digest: true })).toBeUndefined();
    expect(
      settingRefusalOf({
        sync_out: false,
        sync_url: "",
        after_hours: false,
        hours: "",
        leads: false,
        lead_consent: "",
      }),
    ).toBeUndefined();
  });
  test("only for required settings that have a check", () => {
    for (const key of REQUIRED_WHEN_VISIBLE) expect(Object.keys(SETTING_CHECKS)).toContain(key);
  });
});

test.each([
  ["UTC", undefined],
  ["America/Argentina/Buenos_Aires", undefined],
  ["New York", "America/New_York"],
  ["Europe/Berln", "Europe/Berlin"],
  ["Viena", "Europe/Vienna"],
  ["EST", "write Area/Location, such as Europe/Berlin"],
  ["+02:00", "write Area/Location, such as Europe/Berlin"],
  ["Middle/Earth/Shire", "write Area/Location, such as Europe/Berlin"],
  ["Santia", "America/Santiago"],
  ["Be", "write Area/Location"],
])("the time zone %s: %s", (name, problem) => {
  if (problem === undefined) expect(zoneProblem(name)).toBeUndefined();
  else expect(zoneProblem(name)).toContain(problem);
});

test("at most three time zones are suggested, the most similar first", () => {
  const meant = /Is it (.*)\?/.exec(zoneProblem("Asia/San") ?? "")?.[1]?.split(" or ") ?? [];
  expect(meant).toHaveLength(3);
  for (const zone of meant) expect(zone).toMatch(/\/San/);
  expect(zoneProblem("Pariss")).toMatch(/Is it Europe\/Paris\?/);
});

test.each([
  ["+49 30 123456", true],
  ["+44 20 7946 0958", true],
  ["+1 555 555 0100", true],
  ["030 123456", false],
  ["+49 1", false],
  ["+999 123456789", false],
])("the number %s is valid: %s", (number, can) => {
  expect(phoneProblem(number) === undefined).toBe(can);
  expect(countryProblem("DE")).toBeUndefined();
});
