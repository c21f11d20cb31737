import { isPossiblePhoneNumber, isSupportedCountry } from "libphonenumber-js/min";
import { parseHolidays, parseHours } from "./business-hours.ts";
import { textOfProblems, type SettingLineProblem } from "./setting-lines.ts";
import { parseMenu, unknownGroups } from "./menu.ts";
import { parseOutboundEvents } from "./outbound-messages.ts";
import { outsideOf } from "./external-system.ts";
import { previewOf } from "./preview.ts";
import { parseReplyTemplates } from "./reply-templates.ts";
import { unknownIn, type KnownNames } from "./rule-check.ts";
import { parseRules } from "./rules.ts";
import { DIGEST_TARGETS, type Settings, shownOf } from "./settings.ts";
import { syncBodyProblems } from "./sync-body.ts";
import { readTemplate } from "./template.ts";
import { parseTopicWelcomes, unknownTopics } from "./topic-welcomes.ts";
import { zoneProblem } from "./time-zone.ts";

/** -> the problem of a phone number that must include its country; undefined when it is valid */
export function phoneProblem(number: string): string | undefined {
  if (!number.startsWith("+")) return "the number must begin with + and its country, such as +1 202 555 0147.";
  return isPossiblePhoneNumber(number) ? undefined : "it has too few or too many digits for its country.";
}

/** -> the problem of a country code; undefined when it is valid */
export const countryProblem = (code: string): string | undefined =>
  isSupportedCountry(code) ? undefined : `"${code}" is no country's code: write two letters, such as US, GB or DE.`;

/** Checks of one parameter. An empty parameter passes: `REQUIRED_WHEN_SHOWN` lists required ones. */
export interface SettingCheck {
  /** The beginning of a sentence about the parameter. @shape at most 30 characters */
  readonly what: string;
  /** The parameter has several lines, so a problem names its line. */
  readonly isLines: boolean;
  readonly problems: (settings: Settings) => readonly SettingLineProblem[];
  /** Names that the parameter refers to, checked against the account. */
  readonly names?: {
    readonly of: (settings: Settings) => readonly (keyof KnownNames)[];
    readonly unknown: (settings: Settings, known: KnownNames) => readonly SettingLineProblem[];
  };
}

const none: readonly SettingLineProblem[] = [];
const one = (message: string | undefined): readonly SettingLineProblem[] =>
  message === undefined ? none : [{ line: 1, message }];

const template = (what: string, of: (settings: Settings) => string): SettingCheck => ({
  what,
  isLines: true,
  problems(settings) {
    const text = of(settings);
    const read = readTemplate(text);
    if (!read.ok) return [read.problem];
    return text.trim() !== "" && previewOf(text, settings) === undefined
      ? one("the text says nothing to anyone.")
      : none;
  },
});

const lines = (what: string, problems: SettingCheck["problems"], names?: SettingCheck["names"]): SettingCheck => ({
  what,
  isLines: true,
  problems,
  ...(names && { names }),
});

const line = (
  what: string,
  of: (settings: Settings) => string,
  wrong: (value: string) => string | undefined,
): SettingCheck => ({
  what,
  isLines: false,
  problems(settings) {
    const value = of(settings);
    return value === "" ? none : one(wrong(value));
  },
});

const within = (
  what: string,
  of: (settings: Settings) => number,
  [least, most]: readonly [number, number],
): SettingCheck => ({
  what,
  isLines: false,
  problems: (settings) =>
    of(settings) < least || of(settings) > most ? one(`it must be from ${least} to ${most}.`) : none,
});

/** Minimum and maximum of each number. */
export const SETTING_LIMITS = { nudge_hours: [1, 720], resolve_hours: [0, 720], reserve: [0, 90] } as const;

const NAME_CHARACTERS = 60;
const nameProblem = (name: string): string | undefined =>
  name.length > NAME_CHARACTERS ? `a name has at most ${NAME_CHARACTERS} characters.` : undefined;
const addressProblem = (address: string): string | undefined => {
  const read = outsideOf(address);
  return "problem" in read ? read.problem : undefined;
};
const idProblem = (id: string): string | undefined =>
  /^[\w-]{1,64}$/.test(id) ? undefined : "a conversation's id has letters, digits and hyphens only.";

const namesOf = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name);
const welcomesIn = ({ topicWelcomes }: Settings) => parseTopicWelcomes(topicWelcomes);

const namesInRules = ({ rules }: Settings): readonly (keyof KnownNames)[] => {
  const read = parseRules(rules).rules;
  const asked: Readonly<Record<keyof KnownNames, boolean>> = {
    groups: read.some(({ group, agent }) => group !== undefined || agent !== undefined),
    agents: read.some(({ agent }) => agent !== undefined),
    topics: read.some(({ conditions }) => conditions.some(({ kind }) => kind === "topic")),
    fields: read.some(({ fields }) => fields !== undefined),
  };
  return (Object.keys(asked) as (keyof KnownNames)[]).filter((kind) => asked[kind]);
};

/** By key of the parameter, in the order of the page. */
export const CHECKS = {
  bot_name: line("The name of the bot", ({ botName }) => botName, nameProblem),
  business_phone: line("The number of the business", ({ business }) => business.phone, phoneProblem),
  time_zone: line("The time zone", ({ timeZone }) => timeZone, zoneProblem),

  welcome: template("The welcome message", ({ welcome }) => welcome),
  topic_welcomes: lines("The list of welcomes", (settings) => welcomesIn(settings).problems, {
    of: () => ["topics"],
    unknown: (settings, { topics }) => (topics ? unknownTopics(welcomesIn(settings).welcomes, namesOf(topics)) : none),
  }),
  welcome_back: template("The known customers' message", ({ welcomeBack }) => welcomeBack),
  menu: lines("The menu", ({ menu }) => parseMenu(menu).problems, {
    of: () => ["groups"],
    unknown: ({ menu }, { groups }) => (groups ? unknownGroups(parseMenu(menu).choices, namesOf(groups)) : none),
  }),
  choice_reply: template("The answer to a choice", ({ choiceReply }) => choiceReply),

  rules: lines("The list of routing rules", ({ rules }) => parseRules(rules).problems, {
    of: namesInRules,
    unknown: ({ rules }, known) => unknownIn(parseRules(rules).rules, known),
  }),

  lead_consent: template("The question before it is kept", ({ leads }) => leads.consent),
  lead_country: line("The country of numbers", ({ leads }) => leads.country, countryProblem),

  hours: lines("The list of business hours", ({ afterHours }) => parseHours(afterHours.hours).problems),
  holidays: lines("The list of holidays", ({ afterHours }) => parseHolidays(afterHours.holidays).problems),
  away_message: template("The message after hours", ({ afterHours }) => afterHours.awayMessage),
  opening_message: template("The message at opening time", ({ afterHours }) => afterHours.openingMessage),

  nudge_hours: within("The number of hours", ({ followUp }) => followUp.nudgeHours, SETTING_LIMITS.nudge_hours),
  nudge_message: template("The question to the quiet", ({ followUp }) => followUp.nudge),
  resolve_hours: within("The number of hours", ({ followUp }) => followUp.resolveHours, SETTING_LIMITS.resolve_hours),

  csat_question: template("The question how it went", ({ csat }) => csat.question),

  outbound_events: lines("The list of messages", ({ outbound }) => parseOutboundEvents(outbound.events).problems),
  outbound_from: line("The sender of messages", ({ outbound }) => outbound.from, phoneProblem),
  sync_url: line("The other system's address", ({ syncOut }) => syncOut.url, addressProblem),

  digest_to: {
    what: "The report's place",
    isLines: false,
    problems: ({ digest, syncOut }) =>
      digest.target === DIGEST_TARGETS[1] && !syncOut.isOn
        ? one('turn on "Tell another system", and give its address.')
        : none,
  },
  sync_body: lines("The form of what is posted", ({ syncOut }) => syncBodyProblems(syncOut.body)),
  digest_conversation: line("The report's conversation", ({ digest }) => digest.conversation, idProblem),

  reply_templates: lines("The list of replies", ({ replyTemplates }) => parseReplyTemplates(replyTemplates).problems),
} as const satisfies Readonly<Record<string, SettingCheck>>;
export type CheckedSetting = keyof typeof CHECKS;

/** -> the problems of one parameter that the settings alone show; none when other settings turn the parameter off */
export const problemsAt = (key: CheckedSetting, settings: Settings): readonly SettingLineProblem[] => {
  const shown: Readonly<Record<string, boolean>> = shownOf(settings);
  return shown[key] === false ? none : CHECKS[key].problems(settings);
};

/** -> the message at the field; undefined when the parameter is valid */
export const sentenceOf = (key: CheckedSetting, problems: readonly SettingLineProblem[]): string | undefined => {
  if (CHECKS[key].isLines) return textOfProblems(problems);
  const message = problems[0]?.message;
  return message && message.charAt(0).toUpperCase() + message.slice(1);
};
