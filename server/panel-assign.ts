import type { Conversation, ConversationChange, Group } from "@parley/contract";
import { recordDecision } from "./lib/decision-log.ts";
import { normalizeName } from "./lib/setting-lines.ts";
import {
  agentArgument,
  idArgument,
  nameOfAgent,
  textArgument,
  type PanelArguments,
  type PanelAgent,
  type PanelDeps,
  type PanelFunction,
} from "./lib/panel-function.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import { panelConversation, type PanelAction } from "./lib/panel-view.ts";
import { panelConversationOf } from "./panel.ts";

const URGENT_PRIORITY = "Urgent";

/** The requested change, with the texts for the agent and the decision log. */
interface AssignmentStepPlan {
  /** Absent if the conversation is in the requested state already. */
  readonly change?: ConversationChange;
  /** Text for the agent. */
  readonly message: string;
  /** Text for the decision log. */
  readonly logText: string;
}

type AssignmentState = Pick<Conversation, "status" | "assigned_agent_id" | "assigned_group_id" | "properties">;

const isOpen = ({ status }: AssignmentState): boolean => status !== "resolved";

export const planForAgent = (present: AssignmentState, agent: PanelAgent): AssignmentStepPlan => {
  const logText = `Assigned to ${nameOfAgent(agent)}.`;
  if (isOpen(present) && present.assigned_agent_id === agent.id)
    return { message: "The conversation is yours already.", logText };
  return {
    change: { status: "assigned", assigned_agent_id: agent.id },
    message: "The conversation is yours.",
    logText,
  };
};

/** Assigning a group without an agent unassigns the present agent. */
export const planForGroup = (
  present: AssignmentState,
  { id, name }: Pick<Group, "id" | "name">,
): AssignmentStepPlan => {
  const logText = `Assigned to the group ${name}.`;
  if (isOpen(present) && present.assigned_group_id === id && !present.assigned_agent_id)
    return { message: `The conversation waits in ${name} already.`, logText };
  return {
    change: { status: "assigned", assigned_group_id: id },
    message: `The conversation is in ${name} now.`,
    logText,
  };
};

/** @param group escalation group, if the admin has chosen a group */
export const planForEscalation = (
  present: AssignmentState,
  group: Pick<Group, "id" | "name"> | undefined,
): AssignmentStepPlan => {
  const isAssigned = isOpen(present) && (!group || present.assigned_group_id === group.id);
  const isUrgent = present.properties?.["priority"] === URGENT_PRIORITY;
  const to = group ? ` to ${group.name}` : "";
  const logText = `Escalated${to}, priority ${URGENT_PRIORITY}.`;
  if (isAssigned && isUrgent) return { message: "The conversation is escalated already.", logText };
  const move = isAssigned
    ? {}
    : group
      ? { status: "assigned" as const, assigned_group_id: group.id }
      : { status: "reopened" as const };
  const change = { ...move, ...(!isUrgent && { properties: { priority: URGENT_PRIORITY } }) };
  return { change, message: `Escalated${to}.`, logText };
};

const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  AGENT_NOT_IN_GROUP: "You are not a member of the conversation's group: assign it to one of your groups first.",
  AGENT_NOT_FOUND: "The account doesn't know you as an agent any more.",
  GROUP_NOT_FOUND: "This group isn't there any more.",
  CONVERSATION_NOT_FOUND: "This conversation isn't there any more.",
  INVALID_PROPERTY: "This account has no priorities, and no group for unhappy customers is set.",
};

const planFor = async (
  args: PanelArguments,
  present: AssignmentState,
  { account, settings }: PanelDeps,
): Promise<AssignmentStepPlan> => {
  const to = textArgument(args, "to");
  if (to === "me") return planForAgent(present, agentArgument(args));
  if (to === "group") {
    const id = idArgument(args, "group_id");
    const group = (await account.groups()).find((one) => one.id === id);
    if (!group) throw new RequestRefusedError(404, REFUSAL_TEXTS["GROUP_NOT_FOUND"] ?? "");
    return planForGroup(present, group);
  }
  if (to !== "escalation") throw new RequestRefusedError(400, "to must be me, group or escalation.");
  const groupName = settings.csat.group;
  if (!groupName) return planForEscalation(present, undefined);
  const group = (await account.groups()).find(({ name }) => normalizeName(name) === normalizeName(groupName));
  if (group) return planForEscalation(present, group);
  throw new RequestRefusedError(
    409,
    `The account has no group ${groupName}. An admin can choose another group for unhappy customers on the installation page.`,
  );
};

/** A stand-alone account has no properties: the rest of the change is made there. */
const applyChange = async ({ account }: PanelDeps, id: string, { properties, ...rest }: ConversationChange) => {
  const reply = await account.change(id, { ...rest, ...(properties && { properties }) });
  const lacksProperties = !reply.ok && reply.status === "INVALID_PROPERTY" && Object.keys(rest).length > 0;
  return lacksProperties ? account.change(id, rest) : reply;
};

/**
 * Assigns the conversation to the agent or to a group, or escalates it. A conversation in the requested state is unchanged, so that repeating the call has no effect.
 * @shape args: conversation_id, agent, to: "me", "group" with group_id, or "escalation"
 */
export const panelAssign: PanelFunction<PanelAction> = async (args, deps) => {
  const id = idArgument(args, "conversation_id");
  const agent = agentArgument(args);
  const present = await panelConversationOf(deps.account, id);
  const plan = await planFor(args, present, deps);
  if (!plan.change) return { message: plan.message, changed: false, conversation: panelConversation(present) };
  const reply = await applyChange(deps, id, plan.change);
  if (!reply.ok)
    throw new RequestRefusedError(
      409,
      REFUSAL_TEXTS[reply.status] ?? `The messaging service refuses this (${reply.status}).`,
    );
  const at = reply.body.updated_time;
  await recordDecision(deps.db, id, `panel-${at} ${plan.logText}`, {
    at,
    did: plan.logText,
    why: `Asked for here by ${nameOfAgent(agent)}.`,
  });
  return { message: plan.message, changed: true, conversation: panelConversation(reply.body) };
};
