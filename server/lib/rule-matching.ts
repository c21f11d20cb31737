import type { Message } from "@parley/contract";
import { languageOf, type TemplateSubject } from "./template-view.ts";
import { normalizeName } from "./setting-lines.ts";
import { parseRules, type RuleActions, type RuleCondition, type ConditionKind, type RoutingRule } from "./rules.ts";

/** The data that rules match. An absent member is unknown. */
export interface RuleInput {
  /** The customer's text. */
  readonly text?: string | undefined;
  /** Name of the topic. */
  readonly topic?: string | undefined;
  /** The customer's properties. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Domain of the customer's e-mail address, in lower case. */
  readonly domain?: string | undefined;
  /** @shape as `languageOf` returns it */
  readonly language?: string | undefined;
}

/** The text of a customer's messages, line by line; undefined when they contain no text. */
export const customerText = (messages: readonly Pick<Message, "actor_type" | "message_parts">[]): string | undefined =>
  messages
    .filter(({ actor_type }) => actor_type === "user")
    .flatMap(({ message_parts }) => message_parts.flatMap(({ text }) => (text ? [text.content] : [])))
    .join("\n") || undefined;

export const ruleInputOf = ({ user, channel }: TemplateSubject, text: string | undefined): RuleInput => ({
  text,
  topic: channel?.name,
  properties: user?.properties,
  domain: /@([^@\s]+)$/.exec(user?.email?.trim().toLowerCase() ?? "")?.[1],
  language: languageOf({ user, channel }),
});

const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}]$/u;
/** Scripts without spaces between words: a word may end at any position. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

const firstCharacter = (text: string): string => /^./su.exec(text)?.[0] ?? "";
const lastCharacter = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? "";

/** Whether one word continues across the boundary of two texts. */
const isJoined = (before: string, after: string): boolean => {
  const edges = [lastCharacter(before), firstCharacter(after)];
  return edges.every((edge) => WORD_CHARACTER.test(edge)) && !edges.some((edge) => WITHOUT_SPACES.test(edge));
};

/** Whether a text contains a whole word or phrase, regardless of case and character width. @shape phrase: not empty */
export function containsWords(text: string, phrase: string): boolean {
  const [where, what] = [normalizeName(text), normalizeName(phrase)];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const [before, after] = [where.slice(0, at), where.slice(at + what.length)];
    if (!isJoined(before, what) && !isJoined(what, after)) return true;
  }
  return false;
}

const isSameName = (actual: string | undefined, value: string): boolean =>
  actual !== undefined && normalizeName(actual) === normalizeName(value);

/** For each kind of condition: the examined data, whether a value matches, and the sentence about it. */
const CONDITION_CHECKS: Readonly<
  Record<
    ConditionKind,
    {
      readonly read: (input: RuleInput) => unknown;
      readonly matches: (input: RuleInput, value: string, name: string) => boolean;
      readonly describe: (value: string, name: string) => string;
    }
  >
> = {
  topic: {
    read: ({ topic }) => topic,
    matches: ({ topic }, value) => isSameName(topic, value),
    describe: (value) => `the topic is ${value}`,
  },
  keyword: {
    read: ({ text }) => text,
    matches: ({ text }, value) => text !== undefined && containsWords(text, value),
    describe: (value) => `the message has ${value}`,
  },
  property: {
    read: ({ properties }) => properties,
    matches: ({ properties = [] }, value, name) =>
      properties.some((one) => isSameName(one.name, name) && isSameName(one.value, value)),
    describe: (value, name) => `the customer's ${name} is ${value}`,
  },
  domain: {
    read: ({ domain }) => domain,
    matches: ({ domain }, value) => domain !== undefined && `.${domain}`.endsWith(`.${value}`),
    describe: (value) => `the customer's e-mail address is at ${value}`,
  },
  language: {
    read: ({ language }) => language,
    matches: ({ language }, value) => language === value,
    describe: (value) => `the customer's language is ${value}`,
  },
  always: { read: () => true, matches: () => true, describe: () => "this rule fits always" },
};

/** -> the value that matches */
const matchingValue = ({ kind, name, values }: RuleCondition, input: RuleInput): string | undefined =>
  values.find((value) => CONDITION_CHECKS[kind].matches(input, value, name));

const conditionText = ({ kind, name }: RuleCondition, values: readonly string[]): string =>
  CONDITION_CHECKS[kind].describe(
    values.map((value) => (kind === "keyword" ? `"${value}"` : value)).join(" or "),
    name,
  );

/** A matching rule, and a sentence that states why. */
export interface RuleMatch {
  readonly rule: RoutingRule;
  readonly why: string;
}

/** Returns the first rule whose conditions all hold. */
export function firstMatchingRule(rules: readonly RoutingRule[], input: RuleInput): RuleMatch | undefined {
  const rule = rules.find(({ conditions }) => conditions.every((one) => matchingValue(one, input) !== undefined));
  if (!rule) return undefined;
  const reasons = rule.conditions.map((one) => conditionText(one, [matchingValue(one, input) ?? ""]));
  return { rule, why: `Line ${rule.line}: ${reasons.join(" and ")}.` };
}

/** Formats actions: "group Billing, priority High". */
export const actionsText = ({ group, agent, priority, fields = {} }: RuleActions): string =>
  [
    ...(group ? [`group ${group}`] : []),
    ...(agent ? [`agent ${agent}`] : []),
    ...(priority ? [`priority ${priority}`] : []),
    ...Object.entries(fields).map(([name, value]) => `${name} = ${[value].flat().join(", ")}`),
  ].join(", ");

/** Describes a rule whose known conditions hold, with the conditions that could not be evaluated. */
const pendingRuleText = ({ line, conditions }: RoutingRule, input: RuleInput): string | undefined => {
  const open = conditions.filter((one) => matchingValue(one, input) === undefined);
  if (open.some(({ kind }) => CONDITION_CHECKS[kind].read(input) !== undefined)) return undefined;
  return `Line ${line} comes first when ${open.map((one) => conditionText(one, one.values)).join(" and ")}.`;
};

/** Describes what the rules would do with a message of an unknown customer, for the person who writes them. @returns one line */
export function dryRun(text: string, input: RuleInput): string {
  const { rules } = parseRules(text);
  if (rules.length === 0) return "There are no rules: no message is routed.";
  const match = firstMatchingRule(rules, input);
  const before = match ? rules.slice(0, rules.indexOf(match.rule)) : rules;
  const others = before.flatMap((rule) => pendingRuleText(rule, input) ?? []);
  if (!match) return ["No rule fits: the conversation stays where it is.", ...others].join(" ");
  const action = match.rule.group || match.rule.agent ? "go to the" : "get the";
  return [`This message would ${action} ${actionsText(match.rule)}. ${match.why}`, ...others].join(" ");
}
