import type { Agent, Channel, Field, Group } from "@parley/contract";
import { alike, among, type SettingLineProblem } from "./setting-lines.ts";
import type { Actions, RoutingRule } from "./rules.ts";

/** Names that exist in the account. An absent list is unknown and is not checked. */
export interface KnownNames {
  readonly groups?: readonly Pick<Group, "id" | "name">[] | undefined;
  readonly agents?: readonly Pick<Agent, "id" | "email" | "groups" | "is_deactivated">[] | undefined;
  readonly topics?: readonly Pick<Channel, "name">[] | undefined;
  readonly fields?: readonly Pick<Field, "name" | "type" | "custom" | "editable" | "choices">[] | undefined;
}
type Named<T> = T | { readonly problem: string };

/** Types of properties whose values must equal one of the choices. */
const CHOICE_TYPES = ["DROPDOWN", "MULTI_SELECT_DROPDOWN"];

const named = <T>(all: readonly T[], nameOf: (one: T) => string, name: string, what: string): Named<T> =>
  all.find((one) => alike(nameOf(one)) === alike(name)) ?? {
    problem: `the account has no ${what} "${name}". It has ${among(all.map(nameOf))}.`,
  };

export const groupNamed = (name: string, groups: NonNullable<KnownNames["groups"]>) =>
  named(groups, (one) => one.name, name, "group");

/** Returns the agent, who must be a member of the rule's group. */
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

/** Reports names in rules that don't exist in the account. */
export const unknownIn = (rules: readonly RoutingRule[], known: KnownNames): SettingLineProblem[] =>
  rules.flatMap((rule) => problemsOf(rule, known).map((message) => ({ line: rule.line, message })));
