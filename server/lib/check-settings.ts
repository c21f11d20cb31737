import type { IparamValues } from "@parley/contract";
import { textOfProblems, type LineProblem } from "./lines.ts";
import { parseMenu, unknownGroups } from "./menu.ts";
import { outsideOf } from "./outside.ts";
import { countryProblem, phoneProblem } from "./phone-number.ts";
import { DIGEST_TARGETS, settingsOf, textOf, type Settings } from "./settings.ts";
import { NEEDED, shownOf } from "./shown.ts";
import { previewOf } from "./preview.ts";
import { readTemplate } from "./template.ts";
import { zoneProblem } from "./zone-name.ts";

/** Names that the account has. */
export interface Names {
  readonly groups: readonly string[];
  readonly topics: readonly string[];
  readonly agents: readonly string[];
  readonly fields: readonly string[];
}

/** What must hold of one parameter. */
export interface Check {
  /** As a sentence about it begins. @shape at most 30 characters */
  readonly what: string;
  /** One thing a line, so a problem says its line. */
  readonly isLines: boolean;
  problems(settings: Settings): readonly LineProblem[];
  /** What it says of the account, held against what the account has. */
  readonly names?: {
    readonly of: readonly (keyof Names)[];
    unknown(settings: Settings, names: Names): readonly LineProblem[];
  };
}

const none: readonly LineProblem[] = [];
const one = (message: string | undefined): readonly LineProblem[] =>
  message === undefined ? none : [{ line: 1, message }];

/** An empty one is no problem here: see NEEDED. */
const template = (what: string, of: (settings: Settings) => string): Check => ({
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

const line = (
  what: string,
  of: (settings: Settings) => string,
  wrong: (value: string) => string | undefined,
): Check => ({
  what,
  isLines: false,
  problems(settings) {
    const value = of(settings);
    return value === "" ? none : one(wrong(value));
  },
});

const within = (what: string, of: (settings: Settings) => number, [least, most]: readonly [number, number]): Check => ({
  what,
  isLines: false,
  problems: (settings) =>
    of(settings) < least || of(settings) > most ? one(`it must be from ${least} to ${most}.`) : none,
});

/** The least and the most that a number may be. */
export const LIMITS = { nudge_hours: [1, 720], resolve_hours: [0, 720], reserve: [0, 90] } as const;

const NAME_CHARACTERS = 60;
const addressProblem = (address: string): string | undefined => {
  const read = outsideOf(address);
  return "problem" in read ? read.problem : undefined;
};

/** By key of the parameter, in the order of the page. */
export const CHECKS = {
  bot_name: line(
    "The name of the bot",
    ({ botName }) => botName,
    (name) => (name.length > NAME_CHARACTERS ? `a name has at most ${NAME_CHARACTERS} characters.` : undefined),
  ),
  business_phone: line("The number of the business", ({ business }) => business.phone, phoneProblem),
  time_zone: line("The time zone", ({ timeZone }) => timeZone, zoneProblem),
  welcome: template("The welcome message", ({ welcome }) => welcome),
  welcome_back: template("The message of known customers", ({ welcomeBack }) => welcomeBack),
  menu: {
    what: "The menu",
    isLines: true,
    problems: ({ menu }) => parseMenu(menu).problems,
    names: { of: ["groups"], unknown: ({ menu }, { groups }) => unknownGroups(parseMenu(menu).choices, groups) },
  },
  choice_reply: template("The answer to a choice", ({ choiceReply }) => choiceReply),
  lead_consent: template("The question before it is kept", ({ leads }) => leads.consent),
  lead_country: line("The country of numbers", ({ leads }) => leads.country, countryProblem),
  away_message: template("The message after hours", ({ afterHours }) => afterHours.awayMessage),
  opening_message: template("The message at opening time", ({ afterHours }) => afterHours.openingMessage),
  nudge_hours: within("The number of hours", ({ followUp }) => followUp.nudgeHours, LIMITS.nudge_hours),
  nudge_message: template("The question to quiet customers", ({ followUp }) => followUp.nudge),
  resolve_hours: within("The number of hours", ({ followUp }) => followUp.resolveHours, LIMITS.resolve_hours),
  csat_question: template("The question how it went", ({ csat }) => csat.question),
  outbound_from: line("The sender of messages", ({ outbound }) => outbound.from, phoneProblem),
  sync_url: line("The other system's address", ({ syncOut }) => syncOut.url, addressProblem),
  digest_conversation: line(
    "The report's conversation",
    ({ digest }) => digest.conversation,
    (id) => (/^[\w-]{1,64}$/.test(id) ? undefined : "a conversation's id has letters, digits and hyphens only."),
  ),
  digest_to: {
    what: "The report's place",
    isLines: false,
    problems: ({ digest, syncOut }) =>
      digest.target === DIGEST_TARGETS[1] && !syncOut.isOn
        ? one('turn on "Tell another system", and give its address.')
        : none,
  },
} as const satisfies Readonly<Record<string, Check>>;
export type Checked = keyof typeof CHECKS;

/** -> the checks that these settings make necessary */
const checksFor = (settings: Settings): (readonly [string, Check])[] => {
  const shown: Readonly<Partial<Record<string, boolean>>> = shownOf(settings);
  return Object.entries<Check>(CHECKS).filter(([key]) => shown[key] !== false);
};

/** -> what a field says, undefined when nothing is wrong */
export const sentenceOf = (
  { isLines }: Pick<Check, "isLines">,
  problems: readonly LineProblem[],
): string | undefined => {
  if (isLines) return textOfProblems(problems);
  const message = problems[0]?.message;
  return message && message.charAt(0).toUpperCase() + message.slice(1);
};

/** -> what is wrong with one parameter, as far as the settings alone tell */
export const problemsAt = (key: Checked, settings: Settings): readonly LineProblem[] => {
  const check = checksFor(settings).find(([name]) => name === key)?.[1];
  return check?.problems(settings) ?? none;
};

export interface Refusal {
  /** At most the 60 characters that the framework takes. */
  readonly short: string;
  readonly problem: LineProblem;
}

const isEmptied = (iparams: IparamValues, key: string): boolean =>
  iparams[key] !== undefined && textOf(iparams[key]).trim() === "" && typeof iparams[key] !== "number";

/** -> what keeps Concierge from being installed with these values, undefined when nothing does: a command line has no page that looks at them */
export function refusalOf(iparams: IparamValues): Refusal | undefined {
  const needed: readonly string[] = NEEDED;
  for (const [key, check] of checksFor(settingsOf(iparams))) {
    if (needed.includes(key) && isEmptied(iparams, key))
      return { short: `${check.what} is missing.`, problem: { line: 1, message: `fill in ${key}.` } };
    const [problem] = check.problems(settingsOf(iparams));
    if (!problem) continue;
    const how = check.isLines ? `can't be read: see line ${problem.line}` : "can't be used";
    return { short: `${check.what} ${how}.`, problem };
  }
  return undefined;
}
