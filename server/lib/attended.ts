import type { Conversation } from "@parley/contract";

/**
 * Whether Concierge leaves a conversation alone.
 * With an assigned agent, a person answers: a greeting would interrupt, and a change of group would take the conversation away from the
 * agent. A resolved conversation is closed: it may be imported history, and only the customer reopens it.
 */
export const isAttended = ({
  status,
  assigned_agent_id,
}: Pick<Conversation, "status" | "assigned_agent_id">): boolean => status === "resolved" || Boolean(assigned_agent_id);
