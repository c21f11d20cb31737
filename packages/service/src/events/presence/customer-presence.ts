import {
  createLocalCustomers,
  type CustomerPlace,
  type LocalCustomerRules,
  type VisitorListener,
} from "./local-customers.ts";
import { createPresenceMap, type PresenceMap, type PresenceState } from "./presence-map.ts";
import { ENTRIES_PER_MESSAGE, type CustomerMessage, type ProcessMessage } from "./process-messages.ts";
import type { ReadStore, VisitorRead } from "./reads.sql.ts";

interface CustomerPresenceDeps {
  readonly processId: string;
  readonly agents: Pick<PresenceMap, "agentsIn" | "conversationsOf" | "follow">;
  readonly store: ReadStore;
  /** Sends a message to the other processes. */
  readonly send: (message: ProcessMessage) => void;
  readonly failed: (error: unknown) => void;
  readonly rules: LocalCustomerRules;
  readonly now: () => Date;
}

type ConversationListener = (conversationId: string) => void;

/** Which customers are in the conversations that agents have open, over all processes, and until where both have read. */
export interface CustomerPresence {
  /** -> undefined for a customer who is not there, or whose state is not known because no agent has the conversation open */
  stateIn(accountId: number, conversationId: string): "typing" | "online" | undefined;
  /** Calls the first listener when a customer's state changes, the second when a customer has read or is on another page. -> stops */
  follow(accountId: number, onState: ConversationListener, onRead: ConversationListener): () => void;
  /** -> only conversations of which something is known @errors those of the database */
  reads(accountId: number, conversationIds: readonly string[]): Promise<readonly VisitorRead[]>;
  /** A stream of a visitor begins. -> its end; may be called again */
  open(accountId: number, userId: string, listener: VisitorListener): () => void;
  reportTyping(place: CustomerPlace, isTyping: boolean): void;
  /** -> false for a message that the conversation does not have @errors those of the database */
  reportRead(place: CustomerPlace, messageId: string): Promise<boolean>;
  /** Another page of the customer was stored. */
  reportPage(place: CustomerPlace): void;
  /** An agent has the conversation open: that is stored, and sent to the customer, within a part of a second. */
  agentReads(conversationId: string): void;
  /** Whether no customer is here. */
  isEmpty(): boolean;
}

/** The part that connects it with the other processes. */
interface CustomerProcess {
  take(from: string, message: CustomerMessage): void;
  /** Sends all entries of this process to another. */
  sendEntries(to: string): void;
  /** A process has ended. */
  drop(processId: string): void;
  /** Ends what is over and stores what agents have read. Call it some times a second. */
  step(): void;
}

const STATES: Readonly<Record<PresenceState, "typing" | "online">> = { viewing: "online", typing: "typing" };
const inMap = ({ accountId, conversationId, userId }: CustomerPlace) => ({
  accountId,
  conversationId,
  agentId: userId,
});

export const createCustomerPresence = (deps: CustomerPresenceDeps): CustomerPresence & CustomerProcess => {
  const { processId, agents, store, send, failed, rules, now } = deps;
  /** The customers are the agents of this map. */
  const map = createPresenceMap();
  const local = createLocalCustomers({
    ...{ agents, failed, rules, usersOf: store.usersOf, now: () => performance.now() },
    publish(place, state) {
      map.set(processId, inMap(place), state);
      send({ kind: "customer", place, state });
    },
  });
  const readListeners = new Map<number, Set<ConversationListener>>();
  /** Conversations that agents have read since the last step. */
  let readByAgents = new Set<string>();

  const notifyRead = (accountId: number, conversationId: string): void => {
    for (const listener of readListeners.get(accountId) ?? []) listener(conversationId);
  };
  /** What is stored of the customer of a conversation has changed. */
  const storedAnew = ({ accountId, conversationId }: CustomerPlace): void => {
    notifyRead(accountId, conversationId);
    send({ kind: "customer_read", accountId, conversationId });
  };
  const followReads = (accountId: number, listener: ConversationListener): (() => void) => {
    const listeners = readListeners.get(accountId) ?? new Set();
    readListeners.set(accountId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && readListeners.get(accountId) === listeners) readListeners.delete(accountId);
    };
  };

  const storeAgentReads = async (conversationIds: readonly string[]): Promise<void> => {
    const time = now();
    const written = await store.agentsHaveRead(conversationIds, time);
    const reads = written.map(({ user_id: userId, conversation_id: conversationId }) => ({ userId, conversationId }));
    for (const { userId, conversationId } of reads) local.agentHasRead(userId, conversationId, time.toISOString());
    for (let at = 0; at < reads.length; at += ENTRIES_PER_MESSAGE)
      send({ kind: "agent_reads", reads: reads.slice(at, at + ENTRIES_PER_MESSAGE), time: time.toISOString() });
  };

  return {
    stateIn(accountId, conversationId) {
      const [customer] = map.agentsIn(accountId, conversationId);
      return customer && STATES[customer.state];
    },
    follow(accountId, onState, onRead) {
      const unfollow = map.follow(accountId, onState);
      const unfollowReads = followReads(accountId, onRead);
      return () => {
        unfollow();
        unfollowReads();
      };
    },
    reads: store.visitorReads,
    open: (...visitor) => local.open(...visitor),
    reportTyping: (place, isTyping) => local.typing(place, isTyping),
    async reportRead(place, messageId) {
      const { accountId, conversationId } = place;
      const { isFound, isWritten } = await store.visitorHasRead(accountId, conversationId, messageId, now());
      if (isWritten) storedAnew(place);
      return isFound;
    },
    reportPage: storedAnew,
    agentReads: (conversationId) => void readByAgents.add(conversationId),
    isEmpty: local.isEmpty,
    take(from, message) {
      switch (message.kind) {
        case "customer":
          return map.set(from, inMap(message.place), message.state);
        case "customers": {
          if (message.isFirst) map.replace(from, []);
          for (const { state, ...place } of message.entries) map.set(from, inMap(place), state);
          return;
        }
        case "customer_read":
          return notifyRead(message.accountId, message.conversationId);
        case "agent_reads":
          for (const { userId, conversationId } of message.reads)
            local.agentHasRead(userId, conversationId, message.time);
      }
    },
    sendEntries(to) {
      const entries = map.entriesOf(processId).map(({ agentId: userId, ...entry }) => ({ ...entry, userId }));
      for (let at = 0; at === 0 || at < entries.length; at += ENTRIES_PER_MESSAGE)
        send({ kind: "customers", to, entries: entries.slice(at, at + ENTRIES_PER_MESSAGE), isFirst: at === 0 });
    },
    drop: (from) => map.replace(from, []),
    step() {
      local.step();
      if (readByAgents.size === 0) return;
      const conversationIds = [...readByAgents];
      readByAgents = new Set();
      storeAgentReads(conversationIds).catch(failed);
    },
  };
};
