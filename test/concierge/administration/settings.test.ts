import { describe, expect, test } from "@jest/globals";
import type { IparamValues } from "@parley/contract";
import { SYNC_EVENTS, settingsOf } from "../../../server/lib/settings.ts";

const NOTHING = {
  botName: "Concierge",
  business: { email: "", phone: "" },
  timeZone: "UTC",
  topics: [],
  welcome: "",
  topicWelcomes: "",
  welcomeBack: "",
  menu: "",
  menuStyle: "Buttons",
  choiceReply: "",
  leads: { isOn: true, consent: "", country: "US" },
  rules: "",
  afterHours: {
    isOn: false,
    hours: "",
    holidays: "",
    closedUntil: "",
    awayMessage: "",
    openingMessage: "",
    group: "",
  },
  followUp: { isOn: false, nudgeHours: 24, nudge: "", resolveHours: 48 },
  csat: { isOn: true, question: "", low: 2, group: "" },
  syncIn: { isOn: false },
  outbound: { events: "", from: "", namespace: "" },
  syncOut: { isOn: false, url: "", events: SYNC_EVENTS, body: "" },
  digest: { isOn: false, hour: 8, target: "A conversation", conversation: "" },
  replyTemplates: "",
  reserve: 20,
};

test("a parameter that an older version lacked has its default", () => {
  expect(settingsOf({})).toEqual(NOTHING);
});

test("values of a wrong type count as absent", () => {
  const invalid: IparamValues = Object.fromEntries(
    "bot_name time_zone welcome menu menu_style leads after_hours nudge_hours csat csat_low sync_in digest digest_hour reserve queue_group"
      .split(" ")
      .map((key) => [key, { odd: true }]),
  );
  expect(settingsOf(invalid)).toEqual(NOTHING);
});

test("each setting is read from its parameter: names trimmed, texts unchanged", () => {
  const texts = Object.fromEntries(
    [
      "welcome topic_welcomes welcome_back menu choice_reply lead_consent rules hours holidays away_message opening_message",
      "nudge_message csat_question outbound_events sync_body reply_templates",
    ]
      .join(" ")
      .split(" ")
      .map((key) => [key, ` ${key}\n`]),
  );
  const names = Object.fromEntries(
    "bot_name business_email business_phone time_zone closed_until queue_group escalation_group outbound_from outbound_namespace sync_url digest_conversation"
      .split(" ")
      .map((key) => [key, ` ${key} `]),
  );
  expect(
    settingsOf({
      ...texts,
      ...names,
      topics: ["Sales", "Support"],
      menu_style: "Cards",
      leads: false,
      lead_country: " de ",
      after_hours: true,
      follow_up: true,
      nudge_hours: 5,
      resolve_hours: " 0 ",
      csat: false,
      csat_low: "3",
      sync_in: true,
      sync_out: true,
      sync_events: ["Ratings"],
      digest: true,
      digest_hour: "17:00",
      digest_to: "The other system",
      reserve: "35",
    }),
  ).toEqual({
    botName: "bot_name",
    business: { email: "business_email", phone: "business_phone" },
    timeZone: "time_zone",
    topics: ["Sales", "Support"],
    welcome: " welcome\n",
    topicWelcomes: " topic_welcomes\n",
    welcomeBack: " welcome_back\n",
    menu: " menu\n",
    menuStyle: "Cards",
    choiceReply: " choice_reply\n",
    leads: { isOn: false, consent: " lead_consent\n", country: "DE" },
    rules: " rules\n",
    afterHours: {
      isOn: true,
      hours: " hours\n",
      holidays: " holidays\n",
      closedUntil: "closed_until",
      awayMessage: " away_message\n",
      openingMessage: " opening_message\n",
      group: "queue_group",
    },
    followUp: { isOn: true, nudgeHours: 5, nudge: " nudge_message\n", resolveHours: 0 },
    csat: { isOn: false, question: " csat_question\n", low: 3, group: "escalation_group" },
    syncIn: { isOn: true },
    outbound: { events: " outbound_events\n", from: "outbound_from", namespace: "outbound_namespace" },
    syncOut: { isOn: true, url: "sync_url", events: ["Ratings"], body: " sync_body\n" },
    digest: { isOn: true, hour: 17, target: "The other system", conversation: "digest_conversation" },
    replyTemplates: " reply_templates\n",
    reserve: 35,
  });
});

describe("single settings", () => {
  const read = (values: IparamValues) => settingsOf(values);
  test.each([
    ["a text of lines", "Sales\n\n Support ", ["Sales", "Support"]],
    ["one choice that holds lines", ["Sales\nSupport"], ["Sales", "Support"]],
    ["no choice", [], []],
    ["an empty text", "", []],
  ])("topics from %s", (_title, topics, names) => {
    expect(read({ topics }).topics).toEqual(names);
  });
  test("the list of events for the other system can be empty", () => {
    expect(read({ sync_events: [] }).syncOut.events).toEqual([]);
  });
  test.each([
    ["None", ""],
    [" None ", ""],
    ["Billing", "Billing"],
  ])("the choice %j of a list of groups is the group %j", (value, group) => {
    const { afterHours, csat } = read({ queue_group: value, escalation_group: value });
    expect([afterHours.group, csat.group]).toEqual([group, group]);
  });
  test.each([
    ["None", 0],
    ["1", 1],
    ["", 2],
    [" ", 2],
    ["many", 2],
  ])("the low rating %j is %d", (csat_low, low) => {
    expect(read({ csat_low }).csat.low).toBe(low);
  });
  test.each([
    [-1, 0],
    [0, 0],
    [90, 90],
    [91, 90],
    [Infinity, 20],
    ["", 20],
  ])("the reserve of calls %j is %d percent", (reserve, percent) => {
    expect(read({ reserve }).reserve).toBe(percent);
  });
  test.each([
    ["Cards", "Cards"],
    ["Tiles", "Buttons"],
  ])("the menu style %j is %s", (menu_style, expected) => {
    expect(read({ menu_style }).menuStyle).toBe(expected);
  });
});
