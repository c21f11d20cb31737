import type { Conversation, ConversationChange } from "@parley/contract";
import type { AccountClient } from "./account-client.ts";
import { agentFor, groupNamed } from "./rule-check.ts";
import { saidOf } from "./rule-matching.ts";
import type { Actions } from "./rules.ts";

/**
 * Whether Concierge leaves a conversation alone.
 * With an assigned agent, a person answers: a greeting would interrupt, and a change of group would take the conversation away from the
 * agent. A resolved conversation is closed: it may be imported history, and only the customer reopens it.
 */
export const isAttended = ({
  status,
  assigned_agent_id,
}: Pick<Conversation, "status" | "assigned_agent_id">): boolean => status === "resolved" || Boolean(assigned_agent_id);

/** One action in the form that the account accepts. */
interface Part {
  readonly does: Actions;
  readonly change: ConversationChange;
}

/** The changes that a rule makes on this account, and sentences about actions that are not possible. */
export interface AssignmentPlan {
  readonly parts: readonly Part[];
  readonly failed: readonly string[];
}

const propertyParts = ({ priority, fields = {} }: Actions): Part[] => [
  ...(priority ? [{ does: { priority }, change: { properties: { priority } } }] : []),
  ...Object.entries(fields).map(([name, value]) => ({
    does: { fields: { [name]: value } },
    change: { properties: { [name]: typeof value === "string" ? value : [...value] } },
  })),
];

/** Resolves the actions of a rule. A stand-alone account has no conversation properties: they are omitted there. */
export async function assignmentPlanOf(
  rule: Actions,
  { properties }: Pick<Conversation, "properties">,
  account: Pick<AccountClient, "groups" | "agents">,
): Promise<AssignmentPlan> {
  const parts: Part[] = [];
  const failed: string[] = [];
  const groups = rule.group || rule.agent ? await account.groups() : [];
  if (rule.group) {
    const group = groupNamed(rule.group, groups);
    if ("problem" in group) failed.push(group.problem);
    else parts.push({ does: { group: group.name }, change: { status: "assigned", assigned_group_id: group.id } });
  }
  if (rule.agent) {
    const agent = agentFor(rule, { groups, agents: await account.agents() });
    if ("problem" in agent) failed.push(agent.problem);
    else parts.push({ does: { agent: agent.email }, change: { status: "assigned", assigned_agent_id: agent.id } });
  }
  return { parts: [...parts, ...(properties ? propertyParts(rule) : [])], failed };
}

/** Whether only the plan itself has assigned the conversation. A plan that was interrupted is carried out again. */
export const isFree = (
  {
    status,
    assigned_group_id,
    assigned_agent_id,
  }: Pick<Conversation, "status" | "assigned_group_id" | "assigned_agent_id">,
  parts: readonly Pick<Part, "change">[],
): boolean =>
  status !== "resolved" &&
  (!assigned_group_id || parts.some(({ change }) => change.assigned_group_id === assigned_group_id)) &&
  (!assigned_agent_id || parts.some(({ change }) => change.assigned_agent_id === assigned_agent_id));

/** Merges parts into one change. */
const whole = (parts: readonly Part[]): ConversationChange => {
  const properties = Object.assign({}, ...parts.map(({ change }) => change.properties)) as Part["change"]["properties"];
  const change = Object.assign({}, ...parts.map((part) => part.change)) as ConversationChange;
  return { ...change, ...(change.properties && { properties }) };
};

/**
 * Carries a plan out as one change. If the account refuses it, each part is sent separately, so that valid parts take effect.
 * @returns the parts that were done, and a sentence for each part that was not
 */
export async function carryOutAssignment(
  account: Pick<AccountClient, "change">,
  conversation_id: string,
  { parts, failed }: AssignmentPlan,
): Promise<{ readonly done: string; readonly failed: readonly string[] }> {
  const said = (some: readonly Part[]) => some.map(({ does }) => saidOf(does)).join(", ");
  if (parts.length === 0) return { done: "", failed };
  const all = await account.change(conversation_id, whole(parts));
  if (all.ok) return { done: said(parts), failed };
  const done: Part[] = [];
  const refused: string[] = [];
  for (const part of parts) {
    const one = parts.length > 1 ? await account.change(conversation_id, part.change) : all;
    if (one.ok) done.push(part);
    else refused.push(`the account refuses ${saidOf(part.does)} (${one.status}).`);
  }
  return { done: said(done), failed: [...failed, ...refused] };
}
