import type { PresenceMap, PresenceState } from "./presence-map.ts";

/** The customer of a conversation. */
export interface CustomerPlace {
  readonly accountId: number;
  readonly conversationId: string;
  readonly userId: string;
}

export interface LocalCustomerRules {
  /** How long `typing` holds without another report. @units milliseconds */
  readonly typingMs: number;
  /** How long a customer counts as online after the last stream has ended. @units milliseconds */
  readonly goneMs: number;
}

interface LocalCustomersDeps {
  readonly agents: Pick<PresenceMap, "agentsIn" | "conversationsOf" | "follow">;
  /** -> the users of conversations, by the conversation's id */
  readonly usersOf: (accountId: number, conversationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Called with each change of a customer's state in a conversation that agents have open; undefined: not here. */
  readonly publish: (place: CustomerPlace, state: PresenceState | undefined) => void;
  readonly failed: (error: unknown) => void;
  readonly rules: LocalCustomerRules;
  /** Monotonic clock. @units milliseconds */
  readonly now: () => number;
}

/** What a visitor's stream is told of. */
export interface VisitorListener {
  /** The agents in a conversation of the visitor have changed. */
  agents(conversationId: string): void;
  /** An agent has read a conversation of the visitor. */
  read(conversationId: string, time: string): void;
}

interface LocalCustomer {
  readonly accountId: number;
  readonly userId: string;
  readonly listeners: Set<VisitorListener>;
  /** End of `online` after the last stream. */
  onlineUntil: number;
  /** End of `typing` by conversation. */
  readonly typing: Map<string, number>;
}

/** The conversations of an account that agents have open, while customers of it are here. */
interface WatchedAccount {
  customers: number;
  readonly unfollow: () => void;
  /** The user of each conversation. */
  readonly users: Map<string, string>;
}

/**
 * The customers whose streams and reports this process has. Their state is published only for conversations that agents have open, in any
 * process: thousands of customers whom nobody looks at cost nothing.
 *
 * States of a customer in a conversation: (none) → online ⇄ typing → (none). `typing` ends after a time, and `online` some time after the
 * last stream.
 */
export const createLocalCustomers = ({ agents, usersOf, publish, failed, rules, now }: LocalCustomersDeps) => {
  const customers = new Map<string, LocalCustomer>();
  const accounts = new Map<number, WatchedAccount>();
  /** Conversations that agents have open, by user. */
  const openOf = new Map<string, Set<string>>();
  const published = new Map<string, PresenceState>();
  /** Customers whose state ends by itself. */
  const ending = new Set<LocalCustomer>();

  const stateOf = ({ listeners, onlineUntil, typing }: LocalCustomer, conversationId: string) => {
    const at = now();
    if ((typing.get(conversationId) ?? 0) > at) return "typing";
    return listeners.size > 0 || onlineUntil > at ? "viewing" : undefined;
  };
  const refresh = (accountId: number, userId: string, conversationId: string): void => {
    const customer = customers.get(userId);
    const isOpen = openOf.get(userId)?.has(conversationId) === true;
    const state = customer && isOpen ? stateOf(customer, conversationId) : undefined;
    if (published.get(conversationId) === state) return;
    if (state) published.set(conversationId, state);
    else published.delete(conversationId);
    publish({ accountId, conversationId, userId }, state);
  };
  const refreshAll = ({ accountId, userId }: LocalCustomer): void => {
    for (const conversationId of openOf.get(userId) ?? []) refresh(accountId, userId, conversationId);
  };
  const notifyAgents = (userId: string, conversationId: string): void => {
    for (const listener of customers.get(userId)?.listeners ?? []) listener.agents(conversationId);
  };

  const watch = (accountId: number, conversationId: string, userId: string): void => {
    accounts.get(accountId)?.users.set(conversationId, userId);
    const open = openOf.get(userId) ?? new Set();
    openOf.set(userId, open.add(conversationId));
  };
  const unwatch = (conversationId: string, userId: string): void => {
    const open = openOf.get(userId);
    open?.delete(conversationId);
    if (open?.size === 0) openOf.delete(userId);
  };

  const hasAgents = (accountId: number, conversationId: string) =>
    agents.agentsIn(accountId, conversationId).length > 0;
  const changed = (accountId: number, userId: string, conversationId: string): void => {
    if (!hasAgents(accountId, conversationId)) {
      accounts.get(accountId)?.users.delete(conversationId);
      unwatch(conversationId, userId);
    }
    refresh(accountId, userId, conversationId);
    notifyAgents(userId, conversationId);
  };
  const lookUp = async (accountId: number, conversationIds: readonly string[]): Promise<void> => {
    if (conversationIds.length === 0) return;
    const users = await usersOf(accountId, conversationIds);
    for (const [conversationId, userId] of users) {
      if (!accounts.has(accountId) || !hasAgents(accountId, conversationId)) continue;
      watch(accountId, conversationId, userId);
      changed(accountId, userId, conversationId);
    }
  };
  const onAgents = (accountId: number, conversationId: string): void => {
    const userId = accounts.get(accountId)?.users.get(conversationId);
    if (userId !== undefined) return changed(accountId, userId, conversationId);
    if (hasAgents(accountId, conversationId)) lookUp(accountId, [conversationId]).catch(failed);
  };

  const customerOf = (accountId: number, userId: string): LocalCustomer => {
    const known = customers.get(userId);
    if (known) return known;
    const customer = {
      accountId,
      userId,
      listeners: new Set<VisitorListener>(),
      onlineUntil: 0,
      typing: new Map<string, number>(),
    };
    customers.set(userId, customer);
    const account = accounts.get(accountId);
    if (account) account.customers += 1;
    else {
      const unfollow = agents.follow(accountId, (conversationId) => onAgents(accountId, conversationId));
      accounts.set(accountId, { customers: 1, unfollow, users: new Map() });
      lookUp(accountId, agents.conversationsOf(accountId)).catch(failed);
    }
    return customer;
  };
  const remove = ({ accountId, userId }: LocalCustomer): void => {
    customers.delete(userId);
    const account = accounts.get(accountId);
    if (!account || --account.customers > 0) return;
    account.unfollow();
    accounts.delete(accountId);
    for (const [conversationId, user] of account.users) unwatch(conversationId, user);
  };

  return {
    isEmpty: () => customers.size === 0,
    /** A stream of a visitor begins. -> its end; may be called again */
    open(accountId: number, userId: string, listener: VisitorListener): () => void {
      const customer = customerOf(accountId, userId);
      customer.listeners.add(listener);
      refreshAll(customer);
      for (const conversationId of openOf.get(userId) ?? []) listener.agents(conversationId);
      return () => {
        if (!customer.listeners.delete(listener) || customer.listeners.size > 0) return;
        customer.onlineUntil = now() + rules.goneMs;
        ending.add(customer);
      };
    },
    typing({ accountId, conversationId, userId }: CustomerPlace, isTyping: boolean): void {
      if (!isTyping && !customers.has(userId)) return;
      const customer = customerOf(accountId, userId);
      if (isTyping) customer.typing.set(conversationId, now() + rules.typingMs);
      else customer.typing.delete(conversationId);
      ending.add(customer);
      refresh(accountId, userId, conversationId);
    },
    /** An agent has read a conversation of the user. */
    agentHasRead(userId: string, conversationId: string, time: string): void {
      for (const listener of customers.get(userId)?.listeners ?? []) listener.read(conversationId, time);
    },
    /** Ends what is over. Call it some times a second. */
    step(): void {
      const at = now();
      for (const customer of ending) {
        for (const [conversationId, until] of customer.typing) if (until <= at) customer.typing.delete(conversationId);
        refreshAll(customer);
        const { listeners, onlineUntil, typing } = customer;
        if (typing.size > 0 || (listeners.size === 0 && onlineUntil > at)) continue;
        ending.delete(customer);
        if (listeners.size === 0) remove(customer);
      }
    },
  };
};
