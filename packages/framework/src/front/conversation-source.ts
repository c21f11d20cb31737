import type { Agent, FrontChange, FrontConversation, FrontMessage, FrontSummary } from "@parley/contract";

/** A conversation of the list, with its assignment, by which it is within the scope of an agent. */
export interface RecentConversation extends FrontSummary {
  readonly assignedAgentId?: string | undefined;
  readonly assignedGroupId?: string | undefined;
}

/** The agent's data and actions on the service. @errors ServiceRefused */
export interface ConversationSource {
  /** Newest first. */
  recent(): Promise<readonly RecentConversation[]>;
  /** -> undefined for an unknown id */
  open(id: string): Promise<FrontConversation | undefined>;
  /** Agents who can act: neither deactivated nor deleted. */
  agents(): Promise<readonly Agent[]>;
  send(message: FrontMessage): Promise<void>;
  change(change: FrontChange): Promise<void>;
}

/** A person's name, or the best substitute. */
export const personName = (person: {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly email?: string | undefined;
}): string => [person.first_name, person.last_name].filter(Boolean).join(" ") || person.email || "";

/** The selected agent, or the first agent. */
export const findAgent = (agents: readonly Agent[], id: string | undefined): Agent | undefined =>
  agents.find((agent) => agent.id === id) ?? agents[0];
