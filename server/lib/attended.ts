import type { Conversation } from "@parley/contract";

/**
 * Tells whether Concierge leaves a conversation alone.
 * With an agent in it a person is answering: a greeting would interrupt, and a change of group would take the conversation out of the
 * agent's hands. In a resolved one all is said: it may be imported history, and a reopening is the customer's to ask for.
 */
export const isAttended = ({
  status,
  assigned_agent_id,
}: Pick<Conversation, "status" | "assigned_agent_id">): boolean => status === "resolved" || Boolean(assigned_agent_id);
