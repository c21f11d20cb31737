import { settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";
import { parsePriority, PRIORITIES, type Priority } from "./menu.ts";

/** Parts of a line may be quoted, so that they can contain separators and keywords. */

const TYPOGRAPHIC_QUOTES = /[“”„]/g;

/** Converts typographic quotes to straight quotes and collapses white space. */
export const straightQuotes = (text: string): string =>
  text.replace(TYPOGRAPHIC_QUOTES, '"').replace(/\s+/g, " ").trim();

export const hasOpenQuote = (text: string): boolean => text.split('"').length % 2 === 0;

/** Splits a text at the separators outside quotes and trims the parts. @shape separator: without groups */
export const quotedPieces = (text: string, separator: RegExp): string[] => {
  const pieces: string[] = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(`"[^"]*"|(${separator.source})`, "gi"))) {
    if (found[1] === undefined) continue;
    pieces.push(text.slice(from, found.index).trim());
    from = found.index + found[0].length;
  }
  return [...pieces, text.slice(from).trim()];
};

/** Splits a text at commas and removes the quotes. */
export const quotedValues = (text: string): string[] =>
  quotedPieces(text, /,/).map((piece) => (/^"([^"]*)"$/.exec(piece)?.[1] ?? piece).trim());

const CONDITION_KINDS = ["topic", "keyword", "property", "domain", "language", "always"] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** A condition on a message, which holds if one of the values matches. */
export interface RuleCondition {
  readonly kind: ConditionKind;
  /** Name of a property. */
  readonly name: string;
  readonly values: readonly string[];
}

/** Actions of a rule. */
export interface RuleActions {
  /** Name of a group. */
  readonly group?: string;
  /** E-mail address of an agent. */
  readonly agent?: string;
  readonly priority?: Priority;
  /** Values of conversation properties; a list for a multiple-choice field. */
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
}

/** One line of the rules. */
export interface RoutingRule extends RuleActions {
  readonly line: number;
  readonly conditions: readonly RuleCondition[];
}

const LINE_FORMAT =
  'write "condition => action", such as "keyword refund, money back => group Billing; priority High".';
const CONDITION_HELP =
  'write topic Sales, keyword refund, property plan = Pro, domain example.com, language de, or always; a text that has an "and" in it stands in quotes.';
const ACTION_HELP = "write group Billing, agent ben@example.com, priority High, or cf_reason = Refund.";

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const DOMAIN = /^[^\s@.]+(?:\.[^\s@.]+)+$/;
const LANGUAGE = /^[a-z]{2,3}$/;

/** -> the problem with a value of a kind */
const valueProblem = (kind: ConditionKind, value: string): string | undefined => {
  if (kind === "domain" && !DOMAIN.test(value)) return `"${value}" is not a domain: write it like example.com.`;
  if (kind === "language" && !LANGUAGE.test(value)) return `"${value}" is not a language: write its code, such as de.`;
  return undefined;
};

const normalizeValue = (kind: ConditionKind, value: string): string => {
  if (kind === "domain") return value.toLowerCase().replace(/^@/, "");
  return kind === "language" ? value.toLowerCase() : value;
};

/** -> the condition, or the problem with it */
const conditionOf = (text: string): RuleCondition | string => {
  const [word = ""] = text.split(" ");
  const kind = CONDITION_KINDS.find((one) => one === word.toLowerCase());
  const rest = text.slice(word.length).trim();
  if (!kind || (kind === "always") !== (rest === "")) return `"${text}" is not a condition: ${CONDITION_HELP}`;
  if (kind === "always") return { kind, name: "", values: [""] };
  const pieces = kind === "property" ? quotedPieces(rest, /=/) : ["", rest];
  const [name = "", list = ""] = pieces;
  if (pieces.length !== 2 || (kind === "property" && !name)) return 'write a property like "property plan = Pro".';
  const values = quotedValues(list).map((value) => normalizeValue(kind, value));
  if (values.includes("")) return `a value is missing in "${text}".`;
  return values.map((value) => valueProblem(kind, value)).find((message) => message) ?? { kind, name, values };
};

/** -> the values that the action sets, or the problem with it */
const actionOf = (text: string): RuleActions | string => {
  if (text.startsWith("cf_")) {
    const [name = "", list = "", ...more] = quotedPieces(text, /=/);
    const [value = "", ...others] = quotedValues(list);
    if (name.includes(" ") || more.length > 0 || [value, ...others].includes(""))
      return `write a property like "cf_reason = Refund": "${text}" can't be read.`;
    return { fields: { [name]: others.length > 0 ? [value, ...others] : value } };
  }
  const [word = ""] = text.split(" ");
  const [value = "", ...others] = quotedValues(text.slice(word.length));
  if (value === "" || others.length > 0) return `"${text}" is not an action: ${ACTION_HELP}`;
  switch (word.toLowerCase()) {
    case "group":
      return { group: value };
    case "agent":
      return ADDRESS.test(value)
        ? { agent: value }
        : `"${value}" is not an e-mail address: write the e-mail address of an agent.`;
    case "priority": {
      const priority = parsePriority(value);
      return priority ? { priority } : `"${value}" is not a priority: use ${PRIORITIES.join(", ")}.`;
    }
    default:
      return `"${text}" is not an action: ${ACTION_HELP}`;
  }
};

const namesIn = ({ fields = {}, ...others }: RuleActions): string[] => [...Object.keys(others), ...Object.keys(fields)];

const mergeActions = (one: RuleActions, other: RuleActions): RuleActions => ({
  ...one,
  ...other,
  ...((one.fields ?? other.fields) && { fields: { ...one.fields, ...other.fields } }),
});

const parseRuleLine = (line: number, text: string): RoutingRule | SettingLineProblem => {
  if (hasOpenQuote(text)) return { line, message: 'a quote " has no end.' };
  const [when = "", then = "", ...more] = quotedPieces(text, /=>/);
  if (!when || !then || more.length > 0) return { line, message: LINE_FORMAT };
  const conditions: RuleCondition[] = [];
  for (const piece of quotedPieces(when, / and /)) {
    const condition = conditionOf(piece);
    if (typeof condition === "string") return { line, message: condition };
    conditions.push(condition);
  }
  let actions: RuleActions = {};
  for (const piece of quotedPieces(then, /;/).filter((one) => one !== "")) {
    const action = actionOf(piece);
    if (typeof action === "string") return { line, message: action };
    const duplicate = namesIn(action).find((name) => namesIn(actions).includes(name));
    if (duplicate) return { line, message: `"${duplicate}" is set twice.` };
    actions = mergeActions(actions, action);
  }
  if (namesIn(actions).length === 0) return { line, message: LINE_FORMAT };
  return { line, conditions, ...actions };
};

const matchesAlways = ({ conditions }: RoutingRule): boolean => conditions.every(({ kind }) => kind === "always");

/**
 * Parses the routing rules, one per line: `<condition> and <condition> … => <action>; <action> …`. A line that can't be parsed is reported
 * and ignored; the other lines remain valid.
 * Conditions: `topic Sales`, `keyword refund, money back`, `property plan = Pro`, `domain example.com`, `language de`, each with one value or
 * several values separated by commas, and `always`. Actions: `group Billing`, `agent ben@example.com`, `priority High`, `cf_reason = Refund`,
 * where commas separate the values of a multiple-choice field. A text in double quotes may contain commas, semicolons, = and "and".
 */
export function parseRules(text: string): {
  readonly rules: readonly RoutingRule[];
  readonly problems: SettingLineProblem[];
} {
  const rules: RoutingRule[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text: lineText } of settingLinesOf(text)) {
    const rule = parseRuleLine(line, straightQuotes(lineText));
    const always = rules.find(matchesAlways);
    if ("message" in rule) problems.push(rule);
    else if (always) problems.push({ line, message: `line ${always.line} fits always: put this line above it.` });
    else rules.push(rule);
  }
  return { rules, problems };
}
