import { AGENT_NOT_FOUND, INVALID_ACTOR, type NewMessage, refuse } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";

/** Who speaks: what is stored and told of the sender. */
export interface Sender {
  readonly actor_id: string | null;
  readonly org_actor_id?: string | undefined;
}

/** @assumed A user's message is normal, the system's never private; a bot's and the system's actor_id are dropped. */
const KINDS = {
  user: ["normal"],
  agent: ["normal", "private", "system"],
  bot: ["normal", "private", "system"],
  system: ["normal", "system"],
} as const satisfies Record<NewMessage["actor_type"], readonly NonNullable<NewMessage["message_type"]>[]>;

/**
 * Finds out who sends a message; that a user is the conversation's own is seen where the conversation is known.
 * @errors AGENT_NOT_FOUND, INVALID_ACTOR
 */
export const senderOf = async (
  directory: Directory,
  accountId: number,
  { actor_type, actor_id, message_type = "normal", user_id }: NewMessage,
): Promise<Sender> => {
  const kinds: readonly string[] = KINDS[actor_type];
  if (!kinds.includes(message_type))
    refuse(INVALID_ACTOR, `The message_type of a message by ${actor_type} must be one of ${kinds.join(", ")}.`);
  if (actor_type === "bot" || actor_type === "system") return { actor_id: null };
  if (!actor_id) return refuse(INVALID_ACTOR, `actor_id is mandatory when actor_type is ${actor_type}.`);
  if (actor_type === "user") {
    if (user_id && user_id.toLowerCase() !== actor_id.toLowerCase())
      refuse(INVALID_ACTOR, "user_id and actor_id of a user's message must be equal.");
    return { actor_id: actor_id.toLowerCase() };
  }
  const agent = await directory.agent(accountId, actor_id);
  if (!agent) return refuse(AGENT_NOT_FOUND, "actor_id names no agent of this account.");
  if (agent.is_deactivated) refuse(INVALID_ACTOR, "actor_id names a deactivated agent.");
  return { actor_id: agent.id, org_actor_id: agent.org_contact_id };
};
