import { reachesAssignment, type FrontSummary, type SessionAgent } from "@parley/contract";
import type { ConversationSource } from "./conversation-source.ts";
import { ServiceRefused } from "./service.ts";

/** Actions of the host page on conversations. */
export interface ReachedConversations extends Pick<ConversationSource, "open" | "agents" | "send" | "change"> {
  /** Newest first. */
  recent(): Promise<readonly FrontSummary[]>;
}

const NOT_REACHED = "conversation not found";

/**
 * The conversations that the signed-in agent's scope contains, with messages in the name of that agent; all of them where pages need no
 * sign-in. The host reads them by an API key, so that the service does not apply the scope.
 * @assumed Another conversation is answered as if it did not exist, as the service does for a session.
 */
export const conversationsWithin = (
  source: ConversationSource,
  signedIn: SessionAgent | undefined,
): ReachedConversations => {
  const isReached = (agentId: string | null | undefined, groupId: string | null | undefined): boolean =>
    !signedIn || reachesAssignment({ ...signedIn, id: signedIn.agent_id }, { agentId, groupId });
  const open: ReachedConversations["open"] = async (id) => {
    const found = await source.open(id);
    return found && isReached(found.conversation.assigned_agent_id, found.conversation.assigned_group_id)
      ? found
      : undefined;
  };
  /** @errors ServiceRefused */
  const checkReached = async (id: string): Promise<void> => {
    if (signedIn && !(await open(id))) throw new ServiceRefused(404, NOT_REACHED);
  };
  return {
    agents: () => source.agents(),
    open,
    recent: async () =>
      (await source.recent()).flatMap(({ assignedAgentId, assignedGroupId, ...summary }) =>
        isReached(assignedAgentId, assignedGroupId) ? [summary] : [],
      ),
    async send(message) {
      await checkReached(message.conversation);
      await source.send(signedIn ? { ...message, agent: signedIn.agent_id } : message);
    },
    async change(change) {
      await checkReached(change.conversation);
      await source.change(change);
    },
  };
};
