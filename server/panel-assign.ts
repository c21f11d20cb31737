import type { Conversation, ConversationChange, Group } from "@parley/contract";
import { note } from "./lib/decision-log.ts";
import { alike } from "./lib/setting-lines.ts";
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
import { AccountRefusal } from "./lib/errors.ts";
import { panelConversation, type PanelAction } from "./lib/panel-view.ts";
import { panelConversationOf } from "./panel.ts";

const URGENT = "Urgent";

/** The requested change, with the texts for the agent and the decision log. */
interface Plan {
  /** Absent if the conversation is in the requested state already. */
  readonly change?: ConversationChange;
  /** Text for the agent. */
  readonly said: string;
  /** Text for the decision log. */
  readonly did: string;
}

type Present = Pick<Conversation, "status" | "assigned_agent_id" | "assigned_group_id" | "properties">;

const isOpen = ({ status }: Present): boolean => status !== "resolved";

export const planForAgent = (present: Present, agent: PanelAgent): Plan => {
  const did = `Assigned to ${nameOfAgent(agent)}.`;
  if (isOpen(present) && present.assigned_agent_id === agent.id)
    return { said: "The conversation is yours already.", did };
  return { change: { status: "assigned", assigned_agent_id: agent.id }, said: "The conversation is yours.", did };
};

/** Assigning a group without an agent unassigns the present agent. */
export const planForGroup = (present: Present, { id, name }: Pick<Group, "id" | "name">): Plan => {
  const did = `Assigned to the group ${name}.`;
  if (isOpen(present) && present.assigned_group_id === id && !present.assigned_agent_id)
    return { said: `The conversation waits in ${name} already.`, did };
  return { change: { status: "assigned", assigned_group_id: id }, said: `The conversation is in ${name} now.`, did };
};

/** @param group escalation group, if the admin has chosen one */
export const planForEscalation = (present: Present, group: Pick<Group, "id" | "name"> | undefined): Plan => {
  const isThere = isOpen(present) && (!group || present.assigned_group_id === group.id);
  const isUrgent = present.properties?.["priority"] === URGENT;
  const to = group ? ` to ${group.name}` : "";
  const did = `Escalated${to}, priority ${URGENT}.`;
  if (isThere && isUrgent) return { said: "The conversation is escalated already.", did };
  const move = isThere
    ? {}
    : group
      ? { status: "assigned" as const, assigned_group_id: group.id }
      : { status: "reopened" as const };
  const change = { ...move, ...(!isUrgent && { properties: { priority: URGENT } }) };
  return { change, said: `Escalated${to}.`, did };
};

const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  AGENT_NOT_IN_GROUP: "You are no member of the conversation's group: assign it to a group of yours first.",
  AGENT_NOT_FOUND: "The account doesn't know you as an agent any more.",
  GROUP_NOT_FOUND: "This group isn't there any more.",
  CONVERSATION_NOT_FOUND: "This conversation isn't there any more.",
  INVALID_PROPERTY: "This account has no priorities, and no group for unhappy customers is set.",
};

const planFor = async (args: PanelArguments, present: Present, { account, settings }: PanelDeps): Promise<Plan> => {
  const to = textArgument(args, "to");
  if (to === "me") return planForAgent(present, agentArgument(args));
  if (to === "group") {
    const id = idArgument(args, "group_id");
    const group = (await account.groups()).find((one) => one.id === id);
    if (!group) throw new AccountRefusal(404, REFUSAL_TEXTS["GROUP_NOT_FOUND"] ?? "");
    return planForGroup(present, group);
  }
  if (to !== "escalation") throw new AccountRefusal(400, "to must be me, group or escalation.");
  const wanted = settings.csat.group;
  if (!wanted) return planForEscalation(present, undefined);
  const group = (await account.groups()).find(({ name }) => alike(name) === alike(wanted));
  if (group) return planForEscalation(present, group);
  throw new AccountRefusal(
    409,
    `The account has no group ${wanted}. An admin can choose another group for unhappy customers on the installation page.`,
  );
};

/** A stand-alone account has no properties: the rest of the change is made there. */
const changed = async ({ account }: PanelDeps, id: string, { properties, ...rest }: ConversationChange) => {
  const whole = await account.change(id, { ...rest, ...(properties && { properties }) });
  const isWithout = !whole.ok && whole.status === "INVALID_PROPERTY" && Object.keys(rest).length > 0;
  return isWithout ? account.change(id, rest) : whole;
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
  if (!plan.change) return { message: plan.said, changed: false, conversation: panelConversation(present) };
  const reply = await changed(deps, id, plan.change);
  if (!reply.ok)
    throw new AccountRefusal(
      409,
      REFUSAL_TEXTS[reply.status] ?? `The messaging service refuses this (${reply.status}).`,
    );
  const at = reply.body.updated_time;
  await note(deps.db, id, `panel-${at} ${plan.did}`, {
    at,
    did: plan.did,
    why: `Asked for here by ${nameOfAgent(agent)}.`,
  });
  return { message: plan.said, changed: true, conversation: panelConversation(reply.body) };
};
