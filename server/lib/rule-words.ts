import { alike } from "./lines.ts";
import type { Facts } from "./facts.ts";
import { parseRules, type Actions, type Condition, type Kind, type Rule } from "./rules.ts";
import { hasWords } from "./words.ts";

const isSame = (fact: string | undefined, value: string): boolean => fact !== undefined && alike(fact) === alike(value);

/** For each kind of condition: what it looks at, when a value fits, and how that is said. */
const LOOKS: Readonly<
  Record<
    Kind,
    {
      readonly fact: (facts: Facts) => unknown;
      readonly fits: (facts: Facts, value: string, name: string) => boolean;
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
    fits: ({ words }, value) => words !== undefined && hasWords(words, value),
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

/** -> the value that fits */
const fitting = ({ kind, name, values }: Condition, facts: Facts): string | undefined =>
  values.find((value) => LOOKS[kind].fits(facts, value, name));

const said = ({ kind, name }: Condition, values: readonly string[]): string =>
  LOOKS[kind].said(values.map((value) => (kind === "keyword" ? `"${value}"` : value)).join(" or "), name);

/** A rule that fits, and a sentence that says why. */
export interface Fit {
  readonly rule: Rule;
  readonly why: string;
}

/** The first rule of which all conditions fit. */
export function firstRule(rules: readonly Rule[], facts: Facts): Fit | undefined {
  const rule = rules.find(({ conditions }) => conditions.every((one) => fitting(one, facts) !== undefined));
  if (!rule) return undefined;
  const reasons = rule.conditions.map((one) => said(one, [fitting(one, facts) ?? ""]));
  return { rule, why: `Line ${rule.line}: ${reasons.join(" and ")}.` };
}

/** "group Billing, priority High" */
export const saidOf = ({ group, agent, priority, fields = {} }: Actions): string =>
  [
    ...(group ? [`group ${group}`] : []),
    ...(agent ? [`agent ${agent}`] : []),
    ...(priority ? [`priority ${priority}`] : []),
    ...Object.entries(fields).map(([name, value]) => `${name} = ${[value].flat().join(", ")}`),
  ].join(", ");

/** A rule that fits as far as is known, and what else it asks for. */
const asking = ({ line, conditions }: Rule, facts: Facts): string | undefined => {
  const open = conditions.filter((one) => fitting(one, facts) === undefined);
  if (open.some(({ kind }) => LOOKS[kind].fact(facts) !== undefined)) return undefined;
  return `Line ${line} comes first when ${open.map((one) => said(one, one.values)).join(" and ")}.`;
};

/** What the rules would do with a message, for the person who writes them; of a customer of whom nothing is known, say so. @returns one line */
export function dryRun(text: string, facts: Facts): string {
  const { rules } = parseRules(text);
  if (rules.length === 0) return "There are no rules: no message is routed.";
  const fit = firstRule(rules, facts);
  const before = fit ? rules.slice(0, rules.indexOf(fit.rule)) : rules;
  const others = before.flatMap((rule) => asking(rule, facts) ?? []);
  if (!fit) return ["No rule fits: the conversation stays where it is.", ...others].join(" ");
  const way = fit.rule.group || fit.rule.agent ? "go to the" : "get the";
  return [`This message would ${way} ${saidOf(fit.rule)}. ${fit.why}`, ...others].join(" ");
}
