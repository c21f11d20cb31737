import type { MessengerActor } from "@parley/contract";
import type { AgentPresence } from "../presence/presence.ts";
import type { OutOfLogTexts } from "./event-stream.ts";
import { liveText } from "./live-text.ts";

interface VisitorTextsDeps {
  readonly presence: Pick<AgentPresence, "customers"> & { readonly agents: Pick<AgentPresence["agents"], "agentsIn"> };
  /** An agent as a visitor sees it. -> undefined for an unknown agent */
  readonly actorOf: (accountId: number, agentId: string) => Promise<MessengerActor | undefined>;
}

/** The agents who are writing to one visitor, and until when agents have read, for one stream. */
export const createVisitorTexts = (
  { presence: { agents, customers }, actorOf }: VisitorTextsDeps,
  accountId: number,
  userId: string,
): OutOfLogTexts & { readonly close: () => void } => {
  /** Conversations whose agents have changed. */
  const due = new Set<string>();
  /** The last text of each conversation that the stream showed with agents who write. */
  const sent = new Map<string, string>();
  const reads = new Map<string, string>();
  let notify = (): void => undefined;
  const close = customers.open(accountId, userId, {
    agents(conversationId) {
      due.add(conversationId);
      notify();
    },
    read(conversationId, time) {
      reads.set(conversationId, time);
      notify();
    },
  });

  const typing = async (conversation_id: string): Promise<readonly string[]> => {
    const writing = agents.agentsIn(accountId, conversation_id).filter(({ state }) => state === "typing");
    if (writing.length === 0 && !sent.has(conversation_id)) return [];
    const found = await Promise.all(writing.map(({ agent_id }) => actorOf(accountId, agent_id)));
    const actors = found.filter((actor) => actor !== undefined);
    const text = liveText("typing", { conversation_id, actors });
    if (sent.get(conversation_id) === text) return [];
    if (actors.length > 0) sent.set(conversation_id, text);
    else sent.delete(conversation_id);
    return [text];
  };

  return {
    close,
    follow(listener) {
      notify = listener;
      return () => (notify = () => undefined);
    },
    async take() {
      if (due.size === 0 && reads.size === 0) return [];
      const changed = [...due];
      due.clear();
      const texts = [...reads].map(([conversation_id, agent_read_time]) =>
        liveText("read", { conversation_id, agent_read_time }),
      );
      reads.clear();
      return [...texts, ...(await Promise.all(changed.map(typing))).flat()];
    },
  };
};
