import type { IparamValues } from "@parley/contract";
import { settingLinesOf } from "./setting-lines.ts";

type Value = IparamValues[string] | undefined;

/** A parameter that was never filled in is absent. */
export const settingText = (value: Value): string => (typeof value === "string" ? value : "");

/** Returns the choices of a list, or the lines of a text: version 0.1.0 had a text instead of a list, which the host keeps as one choice. */
export const listOf = (value: Value): readonly string[] =>
  [value ?? []].flat().flatMap((one) => settingLinesOf(settingText(one)).map(({ text }) => text));
const isOn = (value: Value, defaultValue: boolean): boolean => (typeof value === "boolean" ? value : defaultValue);
/** Converts a number or its digits. -> `absent` without a number */
const numberOf = (value: Value, defaultValue: number): number => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : defaultValue;
};

/** The choice of a list of groups that selects no group. */
export const NO_GROUP = "None";
export const MENU_STYLES = ["Buttons", "List", "Cards"] as const;
export type MenuStyle = (typeof MENU_STYLES)[number];
export const SYNC_EVENTS = ["New customers", "Changed customers", "Resolved conversations", "Ratings"] as const;
export type SyncEvent = (typeof SYNC_EVENTS)[number];
export const DIGEST_TARGETS = ["A conversation", "The other system"] as const;

const oneOf = <T extends string>(values: readonly T[], value: Value): T | undefined =>
  values.find((one) => one === value);

/**
 * Returns the admin's settings. Secure parameters are never passed to this function. Texts are unchanged: the module of each subject parses
 * them. A parameter that is absent, because an older version did not have it, has its default.
 * @units nudgeHours, resolveHours: hours; reserve: percent of the account's hourly calls
 */
export const settingsOf = (iparams: IparamValues) => {
  const text = (key: string) => settingText(iparams[key]);
  const line = (key: string) => text(key).trim();
  /** The choice for no group is not the name of a group. */
  const name = (key: string) => (line(key) === NO_GROUP ? "" : line(key));
  return {
    botName: line("bot_name") || "Concierge",
    business: { email: line("business_email"), phone: line("business_phone") },
    timeZone: line("time_zone") || "UTC",

    /** Names; if empty, all topics that are visible to everyone. */
    topics: listOf(iparams["topics"]),
    welcome: text("welcome"),
    topicWelcomes: text("topic_welcomes"),
    welcomeBack: text("welcome_back"),
    menu: text("menu"),
    menuStyle: oneOf(MENU_STYLES, iparams["menu_style"]) ?? "Buttons",
    choiceReply: text("choice_reply"),

    leads: {
      isOn: isOn(iparams["leads"], true),
      consent: text("lead_consent"),
      country: line("lead_country").toUpperCase() || "US",
    },

    rules: text("rules"),

    afterHours: {
      isOn: isOn(iparams["after_hours"], false),
      hours: text("hours"),
      holidays: text("holidays"),
      /** A day such as 2026-12-31, or empty. */
      closedUntil: line("closed_until"),
      awayMessage: text("away_message"),
      openingMessage: text("opening_message"),
      /** Name of a group, or empty. */
      group: name("queue_group"),
    },

    followUp: {
      isOn: isOn(iparams["follow_up"], false),
      nudgeHours: numberOf(iparams["nudge_hours"], 24),
      nudge: text("nudge_message"),
      /** 0: never. */
      resolveHours: numberOf(iparams["resolve_hours"], 48),
    },
    csat: {
      isOn: isOn(iparams["csat"], true),
      question: text("csat_question"),
      /** Highest rating that counts as low; 0: no rating counts as low. */
      low: numberOf(iparams["csat_low"] === "None" ? 0 : iparams["csat_low"], 2),
      /** Name of a group, or empty. */
      group: name("escalation_group"),
    },

    syncIn: { isOn: isOn(iparams["sync_in"], false) },
    outbound: {
      events: text("outbound_events"),
      from: line("outbound_from"),
      namespace: line("outbound_namespace"),
    },
    syncOut: {
      isOn: isOn(iparams["sync_out"], false),
      url: line("sync_url"),
      events: iparams["sync_events"] === undefined ? SYNC_EVENTS : listOf(iparams["sync_events"]),
      body: text("sync_body"),
    },

    digest: {
      isOn: isOn(iparams["digest"], false),
      /** Hour of the day in the time zone. */
      hour: Number.parseInt(text("digest_hour") || "8", 10),
      target: oneOf(DIGEST_TARGETS, iparams["digest_to"]) ?? DIGEST_TARGETS[0],
      /** Id of the conversation. */
      conversation: line("digest_conversation"),
    },

    replyTemplates: text("reply_templates"),
    reserve: Math.min(90, Math.max(0, numberOf(iparams["reserve"], 20))),
  };
};
export type Settings = ReturnType<typeof settingsOf>;

/** Which parameters apply with these settings: the others are neither shown nor checked. By key; an absent parameter always applies. */
export const visibleSettingsOf = ({
  leads,
  afterHours,
  followUp,
  csat,
  syncIn,
  outbound,
  syncOut,
  digest,
}: Settings) => ({
  lead_consent: leads.isOn,
  lead_country: leads.isOn,

  hours: afterHours.isOn,
  holidays: afterHours.isOn,
  closed_until: afterHours.isOn,
  away_message: afterHours.isOn,
  opening_message: afterHours.isOn,
  queue_group: afterHours.isOn,

  nudge_hours: followUp.isOn,
  nudge_message: followUp.isOn,
  resolve_hours: followUp.isOn,

  csat_question: csat.isOn,
  csat_low: csat.isOn,
  escalation_group: csat.isOn && csat.low > 0,

  outbound_events: syncIn.isOn,
  outbound_from: syncIn.isOn && outbound.events.trim() !== "",
  outbound_namespace: syncIn.isOn && outbound.events.trim() !== "",

  sync_url: syncOut.isOn,
  sync_secret: syncOut.isOn,
  sync_events: syncOut.isOn,
  sync_body: syncOut.isOn,

  digest_hour: digest.isOn,
  digest_to: digest.isOn,
  digest_conversation: digest.isOn && digest.target === DIGEST_TARGETS[0],
});
export type ConditionalSetting = keyof ReturnType<typeof visibleSettingsOf>;

/** Parameters that are required while they are shown. */
export const REQUIRED_WHEN_VISIBLE: readonly ConditionalSetting[] = [
  "lead_consent",
  "lead_country",
  "hours",
  "away_message",
  "nudge_hours",
  "nudge_message",
  "resolve_hours",
  "csat_question",
  "outbound_from",
  "sync_url",
  "digest_to",
  "digest_conversation",
];
