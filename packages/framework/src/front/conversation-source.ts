import type { Agent, FrontChange, FrontConversation, FrontMessage, FrontSummary } from "@parley/contract";

/** What an agent sees and does: of the live service, or samples. @errors ServiceRefused */
export interface ConversationSource {
  readonly live: boolean;
  /** The newest first. */
  recent(): Promise<readonly FrontSummary[]>;
  /** -> undefined for an unknown id. */
  open(id: string): Promise<FrontConversation | undefined>;
  /** Those who may act: neither deactivated nor deleted. */
  agents(): Promise<readonly Agent[]>;
  send(message: FrontMessage): Promise<void>;
  change(change: FrontChange): Promise<void>;
}

/** A person's name, or the best that stands for it. */
export const personName = (person: {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly email?: string | undefined;
}): string => [person.first_name, person.last_name].filter(Boolean).join(" ") || person.email || "";

/** The agent who looks: the one named, else the first. */
export const findAgent = (agents: readonly Agent[], id: string | undefined): Agent | undefined =>
  agents.find((agent) => agent.id === id) ?? agents[0];
