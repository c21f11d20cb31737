import type { Message } from "@parley/contract";
import { languageOf, type TemplateSubject } from "./template-view.ts";
import { alike } from "./setting-lines.ts";
import { parseRules, type Actions, type Condition, type ConditionKind, type RoutingRule } from "./rules.ts";

/** The data that rules match. An absent member is unknown. */
export interface RuleFacts {
  /** The customer's text. */
  readonly words?: string | undefined;
  /** Name of the topic. */
  readonly topic?: string | undefined;
  /** The customer's properties. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Domain of the customer's e-mail address, in lower case. */
  readonly domain?: string | undefined;
  /** @shape as `languageOf` returns it */
  readonly language?: string | undefined;
}

/** The text of a customer's messages, line by line; undefined when they contain none. */
export const saidIn = (messages: readonly Pick<Message, "actor_type" | "message_parts">[]): string | undefined =>
  messages
    .filter(({ actor_type }) => actor_type === "user")
    .flatMap(({ message_parts }) => message_parts.flatMap(({ text }) => (text ? [text.content] : [])))
    .join("\n") || undefined;

export const factsOf = ({ user, channel }: TemplateSubject, words: string | undefined): RuleFacts => ({
  words,
  topic: channel?.name,
  properties: user?.properties,
  domain: /@([^@\s]+)$/.exec(user?.email?.trim().toLowerCase() ?? "")?.[1],
  language: languageOf({ user, channel }),
});

const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}]$/u;
/** Scripts without spaces between words: a word may end at any position. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

const firstOf = (text: string): string => /^./su.exec(text)?.[0] ?? "";
const lastOf = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? "";

/** Whether one word continues across the boundary of two texts. */
const isJoined = (before: string, after: string): boolean => {
  const edges = [lastOf(before), firstOf(after)];
  return edges.every((edge) => WORD_CHARACTER.test(edge)) && !edges.some((edge) => WITHOUT_SPACES.test(edge));
};

/** Whether a text contains a whole word or phrase, regardless of case and character width. @shape phrase: not empty */
export function containsWords(text: string, phrase: string): boolean {
  const [where, what] = [alike(text), alike(phrase)];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const [before, after] = [where.slice(0, at), where.slice(at + what.length)];
    if (!isJoined(before, what) && !isJoined(what, after)) return true;
  }
  return false;
}

const isSame = (fact: string | undefined, value: string): boolean => fact !== undefined && alike(fact) === alike(value);

/** For each kind of condition: the examined data, whether a value matches, and the sentence about it. */
const CONDITION_CHECKS: Readonly<
  Record<
    ConditionKind,
    {
      readonly fact: (facts: RuleFacts) => unknown;
      readonly fits: (facts: RuleFacts, value: string, name: string) => boolean;
      readonly said: (value: string, name: string) => string;
    }
  >
> = {
  topic: {
    fact: ({ topic }) => topic,
    fits: ({ topic }, value) => isSame(topic, value),
    said: (value) => `the topic is ${value}`,
  },
  keyword: {
    fact: ({ words }) => words,
    fits: ({ words }, value) => words !== undefined && containsWords(words, value),
    said: (value) => `the message has ${value}`,
  },
  property: {
    fact: ({ properties }) => properties,
    fits: ({ properties = [] }, value, name) =>
      properties.some((one) => isSame(one.name, name) && isSame(one.value, value)),
    said: (value, name) => `the customer's ${name} is ${value}`,
  },
  domain: {
    fact: ({ domain }) => domain,
    fits: ({ domain }, value) => domain !== undefined && `.${domain}`.endsWith(`.${value}`),
    said: (value) => `the customer's e-mail address is at ${value}`,
  },
  language: {
    fact: ({ language }) => language,
    fits: ({ language }, value) => language === value,
    said: (value) => `the customer's language is ${value}`,
  },
  always: { fact: () => true, fits: () => true, said: () => "this rule fits always" },
};

/** -> the value that matches */
const fitting = ({ kind, name, values }: Condition, facts: RuleFacts): string | undefined =>
  values.find((value) => CONDITION_CHECKS[kind].fits(facts, value, name));

const said = ({ kind, name }: Condition, values: readonly string[]): string =>
  CONDITION_CHECKS[kind].said(values.map((value) => (kind === "keyword" ? `"${value}"` : value)).join(" or "), name);

/** A matching rule, and a sentence that states why. */
export interface RuleMatch {
  readonly rule: RoutingRule;
  readonly why: string;
}

/** Returns the first rule whose conditions all hold. */
export function firstRule(rules: readonly RoutingRule[], facts: RuleFacts): RuleMatch | undefined {
  const rule = rules.find(({ conditions }) => conditions.every((one) => fitting(one, facts) !== undefined));
  if (!rule) return undefined;
  const reasons = rule.conditions.map((one) => said(one, [fitting(one, facts) ?? ""]));
  return { rule, why: `Line ${rule.line}: ${reasons.join(" and ")}.` };
}

/** Formats actions: "group Billing, priority High". */
export const saidOf = ({ group, agent, priority, fields = {} }: Actions): string =>
  [
    ...(group ? [`group ${group}`] : []),
    ...(agent ? [`agent ${agent}`] : []),
    ...(priority ? [`priority ${priority}`] : []),
    ...Object.entries(fields).map(([name, value]) => `${name} = ${[value].flat().join(", ")}`),
  ].join(", ");

/** Describes a rule whose known conditions hold, with the conditions that could not be evaluated. */
const asking = ({ line, conditions }: RoutingRule, facts: RuleFacts): string | undefined => {
  const open = conditions.filter((one) => fitting(one, facts) === undefined);
  if (open.some(({ kind }) => CONDITION_CHECKS[kind].fact(facts) !== undefined)) return undefined;
  return `Line ${line} comes first when ${open.map((one) => said(one, one.values)).join(" and ")}.`;
};

/** Describes what the rules would do with a message of an unknown customer, for the person who writes them. @returns one line */
export function dryRun(text: string, facts: RuleFacts): string {
  const { rules } = parseRules(text);
  if (rules.length === 0) return "There are no rules: no message is routed.";
  const fit = firstRule(rules, facts);
  const before = fit ? rules.slice(0, rules.indexOf(fit.rule)) : rules;
  const others = before.flatMap((rule) => asking(rule, facts) ?? []);
  if (!fit) return ["No rule fits: the conversation stays where it is.", ...others].join(" ");
  const way = fit.rule.group || fit.rule.agent ? "go to the" : "get the";
  return [`This message would ${way} ${saidOf(fit.rule)}. ${fit.why}`, ...others].join(" ");
}
