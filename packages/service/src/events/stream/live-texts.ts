import type { Presence } from "@parley/contract";
import type { AgentReach, ReachingAgent } from "../../messaging/conversations/reach.sql.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { ConsoleNotice } from "../presence/notices.ts";
import type { AgentPresence } from "../presence/presence.ts";
import { createCustomerTexts } from "./customer-texts.ts";
import { liveText } from "./live-text.ts";
import type { OutOfLogTexts } from "./event-stream.ts";

interface LiveTextsDeps {
  readonly presence: Pick<AgentPresence, "agents" | "notices" | "customers">;
  readonly reach: Pick<AgentReach, "conversations">;
}

/** Texts that all streams send, by the agents of a conversation. */
const presenceTexts = new WeakMap<readonly Presence[], string>();
const presenceText = (conversation_id: string, agents: readonly Presence[]): string => {
  // Nobody: one object for all conversations.
  if (agents.length === 0) return liveText("presence", { conversation_id, agents: [] });
  const text = presenceTexts.get(agents) ?? liveText("presence", { conversation_id, agents: [...agents] });
  presenceTexts.set(agents, text);
  return text;
};

/**
 * How long it is remembered that an agent reaches a conversation, unless an event says that the conversation has changed: a stream that is
 * behind receives such events late. @units milliseconds
 */
const REACH_TTL_MS = 15_000;
/** Conversations of a stream of which it is remembered whether the agent reaches them. Beyond it the oldest are forgotten. */
const REMEMBERED_MAX = 5_000;
/** Changes outside of the log that a slow reader can be behind. Beyond it the oldest are dropped. */
const NOTICES_MAX = 1_000;

/** Kinds of events after which an agent may reach a conversation that it did not reach before, or the reverse. */
const ASSIGNING_KINDS: readonly LogRow["kind"][] = ["conversation_create", "conversation_update"];

/** Which conversations an agent reaches, as of some seconds ago. */
const createRememberedReach = (reach: LiveTextsDeps["reach"], accountId: number, agent: ReachingAgent) => {
  const remembered = new Map<string, { readonly isReached: boolean; readonly until: number }>();
  const isKnown = (id: string) => (remembered.get(id)?.until ?? 0) > performance.now();
  return {
    forget: (id: string): void => void remembered.delete(id),
    /** Those of the conversations that the agent reaches. */
    async of(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (agent.scope === "Global") return new Set(ids);
      const unknown = ids.filter((id) => !isKnown(id));
      const until = performance.now() + REACH_TTL_MS;
      const found = new Set(unknown.length === 0 ? [] : await reach.conversations(accountId, agent, unknown));
      for (const id of unknown) {
        // At the end, so that the map is in order of age.
        remembered.delete(id);
        remembered.set(id, { isReached: found.has(id), until });
      }
      const reached = new Set(ids.filter((id) => remembered.get(id)?.isReached));
      for (const oldest of remembered.keys()) {
        if (remembered.size <= REMEMBERED_MAX) break;
        remembered.delete(oldest);
      }
      return reached;
    },
  };
};

/** The presence of agents and customers and changes of properties within an agent's scope, and the changes of the agent's own, for one stream. */
export const createLiveTexts = (
  { presence: { agents, notices, customers }, reach }: LiveTextsDeps,
  accountId: number,
  agent: ReachingAgent,
): OutOfLogTexts => {
  const reached = createRememberedReach(reach, accountId, agent);
  const customerTexts = createCustomerTexts(
    { agents, customers, within: (ids) => reached.of(ids) },
    accountId,
    agent.id,
  );
  /** Conversations whose presence may have to be sent. */
  const due = new Set<string>();
  /** The last text of each conversation that the stream showed with agents. */
  const sent = new Map<string, string>();
  /** By content: a change that is repeated before it is sent is sent once. */
  const changes = new Map<string, ConsoleNotice>();

  const presence = async (): Promise<string[]> => {
    if (due.size === 0) return [];
    const ids = [...due];
    due.clear();
    const within = await reached.of(ids);
    return ids.flatMap((id) => {
      // A conversation that has left the scope is shown without agents once, so that it doesn't keep the last agents.
      const present = within.has(id) ? agents.agentsIn(accountId, id) : [];
      const text = presenceText(id, present);
      if (sent.get(id) === text || (present.length === 0 && !sent.has(id))) return [];
      if (present.length > 0) sent.set(id, text);
      else sent.delete(id);
      return [text];
    });
  };

  const notified = async (): Promise<string[]> => {
    const taken = [...changes.values()];
    changes.clear();
    const conversations = taken.flatMap(({ event, data }) =>
      event === "property_change" ? [data.conversation_id] : [],
    );
    const within = await reached.of(conversations);
    return taken.flatMap((notice) => {
      if (notice.event === "own_change") return [liveText(notice.event, notice.data)];
      return within.has(notice.data.conversation_id) ? [liveText(notice.event, notice.data)] : [];
    });
  };

  return {
    follow(listener) {
      for (const id of agents.conversationsOf(accountId)) due.add(id);
      const unfollowPresence = agents.follow(accountId, (conversationId) => {
        due.add(conversationId);
        listener();
      });
      const unfollowNotices = notices.follow(accountId, agent.id, (notice) => {
        changes.set(JSON.stringify(notice), notice);
        for (const oldest of changes.keys()) {
          if (changes.size <= NOTICES_MAX) break;
          changes.delete(oldest);
        }
        listener();
      });
      const unfollowCustomers = customerTexts.follow(listener);
      return () => {
        unfollowCustomers();
        unfollowPresence();
        unfollowNotices();
      };
    },
    observe(rows) {
      for (const { kind, entity_id } of rows) {
        if (kind === "message_create") customerTexts.noteMessage(entity_id);
        if (!ASSIGNING_KINDS.includes(kind)) continue;
        reached.forget(entity_id);
        if (agent.scope !== "Global") due.add(entity_id);
      }
    },
    async take() {
      return [...(await notified()), ...(await presence()), ...(await customerTexts.take())];
    },
  };
};
