import type { Agent, Channel, Field, Group } from "@parley/contract";
import { normalizeName, listNames, type SettingLineProblem } from "./setting-lines.ts";
import type { RuleActions, RoutingRule } from "./rules.ts";

/** Names that exist in the account. An absent list is unknown and is not checked. */
export interface AccountNames {
  readonly groups?: readonly Pick<Group, "id" | "name">[] | undefined;
  readonly agents?: readonly Pick<Agent, "id" | "email" | "groups" | "is_deactivated">[] | undefined;
  readonly topics?: readonly Pick<Channel, "name">[] | undefined;
  readonly fields?: readonly Pick<Field, "name" | "type" | "custom" | "editable" | "choices">[] | undefined;
}
type FoundOrProblem<T> = T | { readonly problem: string };

/** Types of properties whose values must equal one of the choices. */
const CHOICE_TYPES = ["DROPDOWN", "MULTI_SELECT_DROPDOWN"];

const findByName = <T>(all: readonly T[], nameOf: (one: T) => string, name: string, kind: string): FoundOrProblem<T> =>
  all.find((one) => normalizeName(nameOf(one)) === normalizeName(name)) ?? {
    problem: `the account has no ${kind} "${name}". It has ${listNames(all.map(nameOf))}.`,
  };

export const ruleGroupIn = (name: string, groups: NonNullable<AccountNames["groups"]>) =>
  findByName(groups, (one) => one.name, name, "group");

/** Returns the agent, who must be a member of the rule's group. */
export const ruleAgentIn = ({ agent = "", group }: RuleActions, { groups = [], agents = [] }: AccountNames) => {
  const found = findByName(agents, ({ email }) => email, agent, "agent");
  if ("problem" in found) return found;
  if (found.is_deactivated) return { problem: `the agent ${agent} is deactivated.` };
  const id = groups.find(({ name }) => normalizeName(name) === normalizeName(group ?? ""))?.id;
  return id === undefined || found.groups.includes(id)
    ? found
    : { problem: `the agent ${agent} doesn't belong to the group ${group}.` };
};

const problemIn = (one: object): string[] => ("problem" in one ? [one.problem as string] : []);

const fieldProblems = (
  name: string,
  value: string | readonly string[],
  fields: NonNullable<AccountNames["fields"]>,
): string[] => {
  const found = findByName(
    fields.filter(({ custom }) => custom),
    (field) => field.name,
    name,
    "property",
  );
  if ("problem" in found) return [found.problem];
  if (!found.editable) return [`the property ${name} can't be changed.`];
  if (typeof value !== "string" && found.type !== "MULTI_SELECT_DROPDOWN")
    return [`the property ${name} takes one value.`];
  const choices = found.choices.map((choice) => choice.value);
  const unknownChoice = CHOICE_TYPES.includes(found.type)
    ? [value].flat().find((one) => !choices.includes(one))
    : undefined;
  return unknownChoice === undefined
    ? []
    : [`the property ${name} has no choice "${unknownChoice}". It has ${listNames(choices)}.`];
};

const problemsOf = (rule: RoutingRule, names: AccountNames): string[] => {
  const { groups, agents, topics, fields } = names;
  const topicNames = rule.conditions.flatMap(({ kind, values }) => (kind === "topic" ? values : []));
  return [
    ...(topics
      ? topicNames.flatMap((name) => problemIn(findByName(topics, (topic) => topic.name, name, "topic")))
      : []),
    ...(groups && rule.group ? problemIn(ruleGroupIn(rule.group, groups)) : []),
    ...(agents && rule.agent ? problemIn(ruleAgentIn(rule, names)) : []),
    ...(fields ? Object.entries(rule.fields ?? {}).flatMap(([name, value]) => fieldProblems(name, value, fields)) : []),
  ];
};

/** Reports names in rules that don't exist in the account. */
export const unknownNames = (rules: readonly RoutingRule[], names: AccountNames): SettingLineProblem[] =>
  rules.flatMap((rule) => problemsOf(rule, names).map((message) => ({ line: rule.line, message })));
