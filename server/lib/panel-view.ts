import type { Conversation, User } from "@parley/contract";
import type { DecisionLogEntry } from "./decision-log.ts";
import { languageOf } from "./template-view.ts";

/** Contents of the agent's panel, shared by the page and the functions of server/. */

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
  /** The customer's rating, of 5 points. */
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

/** Template messages that an agent may send. @shape problem: why no template message is available although some are configured */
export interface PanelOutbound {
  readonly ready: readonly { readonly event: string; readonly template: string }[];
  readonly problem?: string;
}

export interface PanelView {
  readonly conversation: PanelConversation;
  /** Absent when the user was deleted. */
  readonly customer?: PanelCustomer;
  /** Oldest first. */
  readonly did: readonly DecisionLogEntry[];
  readonly topics: readonly NamedEntry[];
  readonly groups: readonly NamedEntry[];
  /** Newest first. */
  readonly past: readonly PastConversation[];
  /** Number of conversations before those. */
  readonly earlier: number;
  /** Results of the requests for addresses and numbers in these conversations, newest first. */
  readonly leads: readonly DecisionLogEntry[];
  readonly replies: readonly PanelReply[];
  /** Group of an escalation; if empty, an escalation only sets the priority. */
  readonly escalation: string;
  readonly outbound: PanelOutbound;
  /** Whether other systems may send events to Concierge. */
  readonly syncIn: boolean;
}

/** Result of a function that performed an action. */
export interface PanelAction {
  /** A sentence for the agent. */
  readonly message: string;
  /** False if there was nothing to change. */
  readonly changed: boolean;
  /** Its current state. */
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
    // Properties that contain the language are shown as the language.
    properties: (user.properties ?? []).filter(
      (property) => property.value !== "" && !languageOf({ user: { properties: [property] } }),
    ),
    since: user.created_time,
  };
};
