import { isPossiblePhoneNumber, isSupportedCountry } from "libphonenumber-js/min";
import { parseHolidays, parseHours } from "./business-hours.ts";
import { problemsText, type SettingLineProblem } from "./setting-lines.ts";
import { parseMenu, unknownGroups } from "./menu.ts";
import { parseOutboundEvents } from "./outbound-messages.ts";
import { parseExternalUrl } from "./external-system.ts";
import { templatePreview } from "./preview.ts";
import { parseReplyTemplates } from "./reply-templates.ts";
import { unknownNames, type AccountNames } from "./rule-check.ts";
import { parseRules } from "./rules.ts";
import { DIGEST_TARGETS, type Settings, visibleSettingsOf } from "./settings.ts";
import { syncBodyProblems } from "./sync-body.ts";
import { parseMessageTemplate } from "./template.ts";
import { parseTopicWelcomes, unknownTopics } from "./topic-welcomes.ts";
import { zoneProblem } from "./time-zone.ts";

/** -> the problem of a phone number that must include its country; undefined when it is valid */
export function phoneProblem(number: string): string | undefined {
  if (!number.startsWith("+")) return "the number must begin with + and its country, such as +1 202 555 0147.";
  return isPossiblePhoneNumber(number) ? undefined : "it has too few or too many digits for its country.";
}

/** -> the problem of a country code; undefined when it is valid */
export const countryProblem = (code: string): string | undefined =>
  isSupportedCountry(code)
    ? undefined
    : `"${code}" is not the code of a country: write two letters, such as US, GB or DE.`;

/** Checks of one parameter. An empty parameter passes: `REQUIRED_WHEN_SHOWN` lists required parameters. */
export interface SettingCheck {
  /** The beginning of a sentence about the parameter. @shape at most 30 characters */
  readonly what: string;
  /** The parameter has several lines, so a problem names its line. */
  readonly isLines: boolean;
  readonly problems: (settings: Settings) => readonly SettingLineProblem[];
  /** Names that the parameter refers to, checked against the account. */
  readonly names?: {
    readonly of: (settings: Settings) => readonly (keyof AccountNames)[];
    readonly unknown: (settings: Settings, names: AccountNames) => readonly SettingLineProblem[];
  };
}

const NO_PROBLEMS: readonly SettingLineProblem[] = [];
const problemList = (message: string | undefined): readonly SettingLineProblem[] =>
  message === undefined ? NO_PROBLEMS : [{ line: 1, message }];

const templateCheck = (what: string, of: (settings: Settings) => string): SettingCheck => ({
  what,
  isLines: true,
  problems(settings) {
    const text = of(settings);
    const parsed = parseMessageTemplate(text);
    if (!parsed.ok) return [parsed.problem];
    return text.trim() !== "" && templatePreview(text, settings) === undefined
      ? problemList("the text says nothing to anyone.")
      : NO_PROBLEMS;
  },
});

const linesCheck = (what: string, problems: SettingCheck["problems"], names?: SettingCheck["names"]): SettingCheck => ({
  what,
  isLines: true,
  problems,
  ...(names && { names }),
});

const lineCheck = (
  what: string,
  of: (settings: Settings) => string,
  problemOf: (value: string) => string | undefined,
): SettingCheck => ({
  what,
  isLines: false,
  problems(settings) {
    const value = of(settings);
    return value === "" ? NO_PROBLEMS : problemList(problemOf(value));
  },
});

const rangeCheck = (
  what: string,
  of: (settings: Settings) => number,
  [least, most]: readonly [number, number],
): SettingCheck => ({
  what,
  isLines: false,
  problems: (settings) =>
    of(settings) < least || of(settings) > most ? problemList(`it must be from ${least} to ${most}.`) : NO_PROBLEMS,
});

/** Minimum and maximum of each number. */
export const SETTING_LIMITS = { nudge_hours: [1, 720], resolve_hours: [0, 720], reserve: [0, 90] } as const;

const NAME_CHARACTERS = 60;
const nameProblem = (name: string): string | undefined =>
  name.length > NAME_CHARACTERS ? `a name has at most ${NAME_CHARACTERS} characters.` : undefined;
const addressProblem = (address: string): string | undefined => {
  const parsed = parseExternalUrl(address);
  return "problem" in parsed ? parsed.problem : undefined;
};
const idProblem = (id: string): string | undefined =>
  /^[\w-]{1,64}$/.test(id) ? undefined : "a conversation's id has letters, digits and hyphens only.";

const namesOf = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name);
const welcomesIn = ({ topicWelcomes }: Settings) => parseTopicWelcomes(topicWelcomes);

const namesInRules = ({ rules }: Settings): readonly (keyof AccountNames)[] => {
  const parsed = parseRules(rules).rules;
  const isReferenced: Readonly<Record<keyof AccountNames, boolean>> = {
    groups: parsed.some(({ group, agent }) => group !== undefined || agent !== undefined),
    agents: parsed.some(({ agent }) => agent !== undefined),
    topics: parsed.some(({ conditions }) => conditions.some(({ kind }) => kind === "topic")),
    fields: parsed.some(({ fields }) => fields !== undefined),
  };
  return (Object.keys(isReferenced) as (keyof AccountNames)[]).filter((kind) => isReferenced[kind]);
};

/** By key of the parameter, in the order of the page. */
export const SETTING_CHECKS = {
  bot_name: lineCheck("The name of the bot", ({ botName }) => botName, nameProblem),
  business_phone: lineCheck("The number of the business", ({ business }) => business.phone, phoneProblem),
  time_zone: lineCheck("The time zone", ({ timeZone }) => timeZone, zoneProblem),

  welcome: templateCheck("The welcome message", ({ welcome }) => welcome),
  topic_welcomes: linesCheck("The list of welcomes", (settings) => welcomesIn(settings).problems, {
    of: () => ["topics"],
    unknown: (settings, { topics }) =>
      topics ? unknownTopics(welcomesIn(settings).welcomes, namesOf(topics)) : NO_PROBLEMS,
  }),
  welcome_back: templateCheck("The known customers' message", ({ welcomeBack }) => welcomeBack),
  menu: linesCheck("The menu", ({ menu }) => parseMenu(menu).problems, {
    of: () => ["groups"],
    unknown: ({ menu }, { groups }) => (groups ? unknownGroups(parseMenu(menu).choices, namesOf(groups)) : NO_PROBLEMS),
  }),
  choice_reply: templateCheck("The answer to a choice", ({ choiceReply }) => choiceReply),

  rules: linesCheck("The list of routing rules", ({ rules }) => parseRules(rules).problems, {
    of: namesInRules,
    unknown: ({ rules }, names) => unknownNames(parseRules(rules).rules, names),
  }),

  lead_consent: templateCheck("The question before it is kept", ({ leads }) => leads.consent),
  lead_country: lineCheck("The country of numbers", ({ leads }) => leads.country, countryProblem),

  hours: linesCheck("The list of business hours", ({ afterHours }) => parseHours(afterHours.hours).problems),
  holidays: linesCheck("The list of holidays", ({ afterHours }) => parseHolidays(afterHours.holidays).problems),
  away_message: templateCheck("The message after hours", ({ afterHours }) => afterHours.awayMessage),
  opening_message: templateCheck("The message at opening time", ({ afterHours }) => afterHours.openingMessage),

  nudge_hours: rangeCheck("The number of hours", ({ followUp }) => followUp.nudgeHours, SETTING_LIMITS.nudge_hours),
  nudge_message: templateCheck("The question to the quiet", ({ followUp }) => followUp.nudge),
  resolve_hours: rangeCheck(
    "The number of hours",
    ({ followUp }) => followUp.resolveHours,
    SETTING_LIMITS.resolve_hours,
  ),

  csat_question: templateCheck("The question how it went", ({ csat }) => csat.question),

  outbound_events: linesCheck("The list of messages", ({ outbound }) => parseOutboundEvents(outbound.events).problems),
  outbound_from: lineCheck("The sender of messages", ({ outbound }) => outbound.from, phoneProblem),
  sync_url: lineCheck("The other system's address", ({ syncOut }) => syncOut.url, addressProblem),

  digest_to: {
    what: "The report's place",
    isLines: false,
    problems: ({ digest, syncOut }) =>
      digest.target === DIGEST_TARGETS[1] && !syncOut.isOn
        ? problemList('turn on "Tell another system", and give its address.')
        : NO_PROBLEMS,
  },
  sync_body: linesCheck("The form of the posted body", ({ syncOut }) => syncBodyProblems(syncOut.body)),
  digest_conversation: lineCheck("The report's conversation", ({ digest }) => digest.conversation, idProblem),

  reply_templates: linesCheck(
    "The list of replies",
    ({ replyTemplates }) => parseReplyTemplates(replyTemplates).problems,
  ),
} as const satisfies Readonly<Record<string, SettingCheck>>;
export type CheckedSetting = keyof typeof SETTING_CHECKS;

/** -> the problems of one parameter that the settings alone show; empty when other settings turn the parameter off */
export const settingProblemsAt = (key: CheckedSetting, settings: Settings): readonly SettingLineProblem[] => {
  const visible: Readonly<Record<string, boolean>> = visibleSettingsOf(settings);
  return visible[key] === false ? NO_PROBLEMS : SETTING_CHECKS[key].problems(settings);
};

/** -> the message at the field; undefined when the parameter is valid */
export const problemMessage = (key: CheckedSetting, problems: readonly SettingLineProblem[]): string | undefined => {
  if (SETTING_CHECKS[key].isLines) return problemsText(problems);
  const message = problems[0]?.message;
  return message && message.charAt(0).toUpperCase() + message.slice(1);
};
