import type { Presence } from "@parley/contract";

export type PresenceState = Presence["state"];

/** An agent in a conversation. */
export interface PresencePlace {
  readonly accountId: number;
  readonly conversationId: string;
  readonly agentId: string;
}
/** The state of an agent in a conversation, as far as one process knows it from its own streams. */
export interface PresenceEntry extends PresencePlace {
  readonly state: PresenceState;
}

const STRENGTH: Readonly<Record<PresenceState, number>> = { viewing: 1, typing: 2 };

/** -> undefined for no states */
export const strongestState = (states: Iterable<PresenceState>): PresenceState | undefined => {
  let strongest: PresenceState | undefined;
  for (const state of states) if (!strongest || STRENGTH[state] > STRENGTH[strongest]) strongest = state;
  return strongest;
};

interface PresentConversation {
  /** States by process, by agent. */
  readonly agents: Map<string, Map<string, PresenceState>>;
  /** Made when it is read, and again after a change. */
  listed: readonly Presence[] | undefined;
}
interface PresentAccount {
  readonly conversations: Map<string, PresentConversation>;
  readonly listeners: Set<(conversationId: string) => void>;
}

const NOBODY: readonly Presence[] = [];

/** Which agents have which conversations open, merged from the streams of all processes. An agent appears with the strongest state. */
export interface PresenceMap {
  /** Sets the state of an agent in one process. @shape state: undefined: not there */
  set(processId: string, place: PresencePlace, state: PresenceState | undefined): void;
  /** Replaces all entries of a process. */
  replace(processId: string, entries: readonly PresenceEntry[]): void;
  entriesOf(processId: string): readonly PresenceEntry[];
  /** The agents in a conversation, sorted by id. Equal objects until it changes. */
  agentsIn(accountId: number, conversationId: string): readonly Presence[];
  /** The conversations with agents. */
  conversationsOf(accountId: number): readonly string[];
  /** Calls the listener with each conversation whose agents change. -> stops */
  follow(accountId: number, listener: (conversationId: string) => void): () => void;
}

export const createPresenceMap = (): PresenceMap => {
  const accounts = new Map<number, PresentAccount>();

  const accountOf = (accountId: number): PresentAccount => {
    const account = accounts.get(accountId) ?? { conversations: new Map(), listeners: new Set() };
    accounts.set(accountId, account);
    return account;
  };
  const conversationOf = ({ conversations }: PresentAccount, id: string): PresentConversation => {
    const conversation = conversations.get(id) ?? { agents: new Map(), listed: undefined };
    conversations.set(id, conversation);
    return conversation;
  };
  const removeIfEmpty = (accountId: number, { conversations, listeners }: PresentAccount): void => {
    if (conversations.size === 0 && listeners.size === 0) accounts.delete(accountId);
  };

  const set: PresenceMap["set"] = (processId, { accountId, conversationId, agentId }, state) => {
    if (!state && !accounts.get(accountId)?.conversations.has(conversationId)) return;
    const account = accountOf(accountId);
    const conversation = conversationOf(account, conversationId);
    const states = conversation.agents.get(agentId) ?? new Map<string, PresenceState>();
    const before = strongestState(states.values());
    if (state) states.set(processId, state);
    else states.delete(processId);
    if (states.size > 0) conversation.agents.set(agentId, states);
    else conversation.agents.delete(agentId);
    if (conversation.agents.size === 0) account.conversations.delete(conversationId);
    removeIfEmpty(accountId, account);
    if (strongestState(states.values()) === before) return;
    conversation.listed = undefined;
    for (const listener of account.listeners) listener(conversationId);
  };

  const entriesOf: PresenceMap["entriesOf"] = (processId) => {
    const entries: PresenceEntry[] = [];
    for (const [accountId, { conversations }] of accounts)
      for (const [conversationId, { agents }] of conversations)
        for (const [agentId, states] of agents) {
          const state = states.get(processId);
          if (state) entries.push({ accountId, conversationId, agentId, state });
        }
    return entries;
  };

  return {
    set,
    entriesOf,
    replace(processId, entries) {
      const keyOf = ({ accountId, conversationId, agentId }: PresencePlace) =>
        `${accountId} ${conversationId} ${agentId}`;
      const kept = new Set(entries.map(keyOf));
      for (const old of entriesOf(processId)) if (!kept.has(keyOf(old))) set(processId, old, undefined);
      for (const entry of entries) set(processId, entry, entry.state);
    },
    agentsIn(accountId, conversationId) {
      const conversation = accounts.get(accountId)?.conversations.get(conversationId);
      if (!conversation) return NOBODY;
      return (conversation.listed ??= [...conversation.agents]
        .map(([agent_id, states]) => ({ agent_id, state: strongestState(states.values()) ?? "viewing" }))
        .sort((one, other) => (one.agent_id < other.agent_id ? -1 : 1)));
    },
    conversationsOf: (accountId) => [...(accounts.get(accountId)?.conversations.keys() ?? [])],
    follow(accountId, listener) {
      const account = accountOf(accountId);
      account.listeners.add(listener);
      return () => {
        account.listeners.delete(listener);
        if (accounts.get(accountId) === account) removeIfEmpty(accountId, account);
      };
    },
  };
};
