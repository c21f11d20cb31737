import { visitorPageOf } from "../../messaging/visitor-pages/store.ts";
import type { AgentPresence } from "../presence/presence.ts";
import type { VisitorRead } from "../presence/reads.sql.ts";
import { liveText } from "./live-text.ts";

interface CustomerTextsDeps extends Pick<AgentPresence, "customers"> {
  readonly agents: Pick<AgentPresence["agents"], "agentsIn" | "conversationsOf" | "follow">;
  /** -> those of the conversations that the agent reaches */
  readonly within: (conversationIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * The presence of customers for one stream of an agent: in the conversations that the agent has open, on any device, and that are within the
 * agent's scope. What the agent has open counts as read: customers are told.
 */
export const createCustomerTexts = (
  { agents, customers, within }: CustomerTextsDeps,
  accountId: number,
  agentId: string,
) => {
  /** Conversations that the agent has open, with the last text of each. */
  const open = new Map<string, string | undefined>();
  /** Until where their customers have read, and their pages. Absent: they must be looked up. */
  const reads = new Map<string, VisitorRead | undefined>();
  const due = new Set<string>();

  const isOpen = (conversationId: string): boolean =>
    agents.agentsIn(accountId, conversationId).some(({ agent_id }) => agent_id === agentId);
  /** -> whether the conversation was opened */
  const noteAgents = (conversationId: string): boolean => {
    if (isOpen(conversationId)) {
      if (open.has(conversationId)) return false;
      open.set(conversationId, undefined);
      due.add(conversationId);
      return true;
    }
    open.delete(conversationId);
    reads.delete(conversationId);
    due.delete(conversationId);
    return false;
  };
  const readUnknown = async (conversationIds: readonly string[]): Promise<void> => {
    const unknown = conversationIds.filter((id) => !reads.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) reads.set(id, undefined);
    for (const read of await customers.reads(accountId, unknown)) reads.set(read.conversation_id, read);
  };
  const textOf = (conversation_id: string): string | undefined => {
    const state = customers.stateIn(accountId, conversation_id);
    const read = reads.get(conversation_id);
    // Not a customer of the messenger, as far as is known.
    if (!state && !read && open.get(conversation_id) === undefined) return undefined;
    return liveText("customer_presence", {
      conversation_id,
      state: state ?? "gone",
      ...(read?.visitor_message_id && {
        read_message_id: read.visitor_message_id,
        read_time: read.visitor_read_time?.toISOString(),
      }),
      page: read && visitorPageOf(read),
    });
  };

  return {
    /** Calls the listener when there may be texts. -> stops */
    follow(listener: () => void): () => void {
      for (const id of agents.conversationsOf(accountId)) noteAgents(id);
      const unfollowAgents = agents.follow(accountId, (id) => noteAgents(id) && listener());
      const unfollowCustomers = customers.follow(
        accountId,
        (id) => {
          if (!open.has(id)) return;
          due.add(id);
          listener();
        },
        (id) => {
          if (!open.has(id)) return;
          reads.delete(id);
          due.add(id);
          listener();
        },
      );
      return () => {
        unfollowAgents();
        unfollowCustomers();
      };
    },
    /** A message was added to a conversation. */
    noteMessage(conversationId: string): void {
      if (open.has(conversationId)) customers.agentReads(conversationId);
    },
    /** Takes the texts that must be sent now. @errors those of the database */
    async take(): Promise<readonly string[]> {
      if (due.size === 0) return [];
      const ids = [...(await within([...due]))].filter((id) => open.has(id));
      due.clear();
      await readUnknown(ids);
      return ids.flatMap((id) => {
        const text = textOf(id);
        if (text === undefined || open.get(id) === text || !open.has(id)) return [];
        open.set(id, text);
        return [text];
      });
    },
  };
};
