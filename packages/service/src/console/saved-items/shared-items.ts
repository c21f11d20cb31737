import { FORBIDDEN, isAtLeast, NOT_THE_OWNER, refuse } from "@parley/contract";
import type { CallerAgent } from "../../http/route-handlers.ts";

/** Something that an agent has saved for itself or for all agents of the account. */
interface SavedItem {
  readonly owner_id: string;
  readonly is_shared: boolean;
}

/** Whom to notify of a change: all agents of the account, if the item is shared before or after it. */
export const notifiedAgent = (agent: Pick<CallerAgent, "id">, ...items: readonly SavedItem[]): string | undefined =>
  items.some(({ is_shared }) => is_shared) ? undefined : agent.id;

/**
 * Refuses a change or the deletion of an item that is shared by somebody else. Only the owner ends the sharing: otherwise an item would
 * become one that nobody but its owner sees, and that nobody sees once the owner is deleted.
 * @shape next: absent for a deletion
 * @errors NOT_THE_OWNER
 */
export const checkMayChange = (
  agent: Pick<CallerAgent, "id" | "role_id">,
  item: SavedItem,
  next?: Pick<SavedItem, "is_shared">,
): void => {
  if (item.owner_id === agent.id) return;
  if (!isAtLeast(agent.role_id, "ADMIN")) refuse(NOT_THE_OWNER);
  if (next && !next.is_shared) refuse(NOT_THE_OWNER, "Only its creator can end the sharing. An admin can delete it.");
};

/** The agent was deleted while its session was still admitted. */
export const refuseDeletedAgent = (): never => refuse(FORBIDDEN, "The agent of the session was deleted.");
