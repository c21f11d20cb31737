import type { Conversation, User } from "@parley/contract";
import type { RuleLogEntry } from "./decision-log.ts";
import { languageOf } from "./template-view.ts";

/** What the agent's panel shows. The page and the function of server/ share these. */

export interface NamedEntry {
  readonly id: string;
  readonly name: string;
}

/** @shape began, updated: ISO 8601 */
export interface PanelConversation {
  readonly id: string;
  readonly status: Conversation["status"];
  readonly topic_id: string;
  readonly group_id?: string;
  readonly agent_id?: string;
  readonly priority?: string;
  readonly began: string;
  readonly updated: string;
}

export interface PastConversation extends PanelConversation {
  /** What the customer gave, of 5 points. */
  readonly rating?: number;
}

/** @shape since: ISO 8601; language: a code such as "de" */
export interface PanelCustomer {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly phone?: string;
  readonly language?: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly since: string;
}

/** A reply as this customer would read it. */
export interface PanelReply {
  readonly name: string;
  readonly text: string;
}

/** Template messages that an agent may send. @shape problem: why there are none, though some are set */
export interface PanelOutbound {
  readonly ready: readonly { readonly event: string; readonly template: string }[];
  readonly problem?: string;
}

export interface PanelView {
  readonly conversation: PanelConversation;
  /** Absent when the user was deleted. */
  readonly customer?: PanelCustomer;
  /** The oldest first. */
  readonly did: readonly RuleLogEntry[];
  readonly topics: readonly NamedEntry[];
  readonly groups: readonly NamedEntry[];
  /** The newest first. */
  readonly past: readonly PastConversation[];
  /** How many conversations came before those. */
  readonly earlier: number;
  /** What came of asking for addresses and numbers in these conversations, the newest first. */
  readonly leads: readonly RuleLogEntry[];
  readonly replies: readonly PanelReply[];
  /** Group that an escalation goes to; empty: it only becomes urgent. */
  readonly escalation: string;
  readonly outbound: PanelOutbound;
  /** Whether other systems may tell Concierge. */
  readonly syncIn: boolean;
}

/** What a function that did something answers. */
export interface PanelAction {
  /** A sentence for the agent. */
  readonly message: string;
  /** False when it stood so already. */
  readonly changed: boolean;
  /** As it stands now. */
  readonly conversation: PanelConversation;
}

/** A sentence for the agent. */
export interface PanelSent {
  readonly message: string;
}

export const panelConversation = ({ properties = {}, ...conversation }: Conversation): PanelConversation => {
  const { priority } = properties;
  return {
    id: conversation.conversation_id,
    status: conversation.status,
    topic_id: conversation.channel_id,
    ...(conversation.assigned_group_id && { group_id: conversation.assigned_group_id }),
    ...(conversation.assigned_agent_id && { agent_id: conversation.assigned_agent_id }),
    ...(typeof priority === "string" && priority && { priority }),
    began: conversation.created_time,
    updated: conversation.updated_time,
  };
};

export const panelCustomer = (user: User): PanelCustomer => {
  const language = languageOf({ user });
  return {
    id: user.id,
    name: [user.first_name, user.last_name].filter(Boolean).join(" "),
    ...(user.email && { email: user.email }),
    ...(user.phone && { phone: user.phone }),
    ...(language && { language }),
    // What tells the language is said already.
    properties: (user.properties ?? []).filter(
      (property) => property.value !== "" && !languageOf({ user: { properties: [property] } }),
    ),
    since: user.created_time,
  };
};
