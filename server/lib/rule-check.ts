import type { Agent, Channel, Field, Group } from "@parley/contract";
import { alike, among, type SettingLineProblem } from "./setting-lines.ts";
import type { Actions, RoutingRule } from "./rules.ts";

/** What the account has, as far as it is known: what is absent is not looked at. */
export interface KnownNames {
  readonly groups?: readonly Pick<Group, "id" | "name">[] | undefined;
  readonly agents?: readonly Pick<Agent, "id" | "email" | "groups" | "is_deactivated">[] | undefined;
  readonly topics?: readonly Pick<Channel, "name">[] | undefined;
  readonly fields?: readonly Pick<Field, "name" | "type" | "custom" | "editable" | "choices">[] | undefined;
}
type Named<T> = T | { readonly problem: string };

/** Choices of which one has to be chosen, exactly as it is written. */
const CHOICE_TYPES = ["DROPDOWN", "MULTI_SELECT_DROPDOWN"];

const named = <T>(all: readonly T[], nameOf: (one: T) => string, name: string, what: string): Named<T> =>
  all.find((one) => alike(nameOf(one)) === alike(name)) ?? {
    problem: `the account has no ${what} "${name}". It has ${among(all.map(nameOf))}.`,
  };

export const groupNamed = (name: string, groups: NonNullable<KnownNames["groups"]>) =>
  named(groups, (one) => one.name, name, "group");

/** The agent, who has to belong to the rule's group. */
export const agentFor = ({ agent = "", group }: Actions, { groups = [], agents = [] }: KnownNames) => {
  const found = named(agents, ({ email }) => email, agent, "agent");
  if ("problem" in found) return found;
  if (found.is_deactivated) return { problem: `the agent ${agent} is deactivated.` };
  const id = groups.find(({ name }) => alike(name) === alike(group ?? ""))?.id;
  return id === undefined || found.groups.includes(id)
    ? found
    : { problem: `the agent ${agent} doesn't belong to the group ${group}.` };
};

const problemIn = (one: object): string[] => ("problem" in one ? [one.problem as string] : []);

const inField = (
  name: string,
  value: string | readonly string[],
  fields: NonNullable<KnownNames["fields"]>,
): string[] => {
  const found = named(
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
  const odd = CHOICE_TYPES.includes(found.type) ? [value].flat().find((one) => !choices.includes(one)) : undefined;
  return odd === undefined ? [] : [`the property ${name} has no choice "${odd}". It has ${among(choices)}.`];
};

const problemsOf = (rule: RoutingRule, known: KnownNames): string[] => {
  const { groups, agents, topics, fields } = known;
  const spoken = rule.conditions.flatMap(({ kind, values }) => (kind === "topic" ? values : []));
  return [
    ...(topics ? spoken.flatMap((name) => problemIn(named(topics, (topic) => topic.name, name, "topic"))) : []),
    ...(groups && rule.group ? problemIn(groupNamed(rule.group, groups)) : []),
    ...(agents && rule.agent ? problemIn(agentFor(rule, known)) : []),
    ...(fields ? Object.entries(rule.fields ?? {}).flatMap(([name, value]) => inField(name, value, fields)) : []),
  ];
};

/** What rules name and the account does not have. */
export const unknownIn = (rules: readonly RoutingRule[], known: KnownNames): SettingLineProblem[] =>
  rules.flatMap((rule) => problemsOf(rule, known).map((message) => ({ line: rule.line, message })));
