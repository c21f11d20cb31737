import type { Conversation, ConversationChange } from "@parley/contract";
import type { AccountClient } from "./account-client.ts";
import { ruleAgentIn, ruleGroupIn } from "./rule-check.ts";
import { actionsText } from "./rule-matching.ts";
import type { RuleActions } from "./rules.ts";

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
interface AssignmentStep {
  readonly actions: RuleActions;
  readonly change: ConversationChange;
}

/** The changes that a rule makes on this account, and sentences about actions that are not possible. */
interface AssignmentPlan {
  readonly steps: readonly AssignmentStep[];
  readonly failed: readonly string[];
}

const propertySteps = ({ priority, fields = {} }: RuleActions): AssignmentStep[] => [
  ...(priority ? [{ actions: { priority }, change: { properties: { priority } } }] : []),
  ...Object.entries(fields).map(([name, value]) => ({
    actions: { fields: { [name]: value } },
    change: { properties: { [name]: typeof value === "string" ? value : [...value] } },
  })),
];

/** Resolves the actions of a rule. A stand-alone account has no conversation properties: they are omitted there. */
export async function assignmentPlanOf(
  rule: RuleActions,
  { properties }: Pick<Conversation, "properties">,
  account: Pick<AccountClient, "groups" | "agents">,
): Promise<AssignmentPlan> {
  const parts: AssignmentStep[] = [];
  const failed: string[] = [];
  const groups = rule.group || rule.agent ? await account.groups() : [];
  if (rule.group) {
    const group = ruleGroupIn(rule.group, groups);
    if ("problem" in group) failed.push(group.problem);
    else parts.push({ actions: { group: group.name }, change: { status: "assigned", assigned_group_id: group.id } });
  }
  if (rule.agent) {
    const agent = ruleAgentIn(rule, { groups, agents: await account.agents() });
    if ("problem" in agent) failed.push(agent.problem);
    else parts.push({ actions: { agent: agent.email }, change: { status: "assigned", assigned_agent_id: agent.id } });
  }
  return { steps: [...parts, ...(properties ? propertySteps(rule) : [])], failed };
}

/** Whether only the plan itself has assigned the conversation. A plan that was interrupted is carried out again. */
export const isAssignable = (
  {
    status,
    assigned_group_id,
    assigned_agent_id,
  }: Pick<Conversation, "status" | "assigned_group_id" | "assigned_agent_id">,
  parts: readonly Pick<AssignmentStep, "change">[],
): boolean =>
  status !== "resolved" &&
  (!assigned_group_id || parts.some(({ change }) => change.assigned_group_id === assigned_group_id)) &&
  (!assigned_agent_id || parts.some(({ change }) => change.assigned_agent_id === assigned_agent_id));

/** Merges parts into one change. */
const mergeChanges = (parts: readonly AssignmentStep[]): ConversationChange => {
  const properties = Object.assign(
    {},
    ...parts.map(({ change }) => change.properties),
  ) as AssignmentStep["change"]["properties"];
  const change = Object.assign({}, ...parts.map((step) => step.change)) as ConversationChange;
  return { ...change, ...(change.properties && { properties }) };
};

/**
 * Carries a plan out as one change. If the account refuses it, each part is sent separately, so that valid parts take effect.
 * @returns the parts that were done, and a sentence for each part that was not
 */
export async function applyAssignment(
  account: Pick<AccountClient, "change">,
  conversation_id: string,
  { steps, failed }: AssignmentPlan,
): Promise<{ readonly done: string; readonly failed: readonly string[] }> {
  const stepsText = (steps: readonly AssignmentStep[]) => steps.map(({ actions }) => actionsText(actions)).join(", ");
  if (steps.length === 0) return { done: "", failed };
  const reply = await account.change(conversation_id, mergeChanges(steps));
  if (reply.ok) return { done: stepsText(steps), failed };
  const done: AssignmentStep[] = [];
  const refusals: string[] = [];
  for (const step of steps) {
    const stepReply = steps.length > 1 ? await account.change(conversation_id, step.change) : reply;
    if (stepReply.ok) done.push(step);
    else refusals.push(`the account refuses ${actionsText(step.actions)} (${stepReply.status}).`);
  }
  return { done: stepsText(done), failed: [...failed, ...refusals] };
}
