import type { ConsoleStreamItem } from "@parley/contract";

/** A change that is not in the log. */
export type ConsoleNotice = Extract<ConsoleStreamItem, { readonly event: "own_change" | "property_change" }>;

type Listener = (notice: ConsoleNotice) => void;

/** Passes changes that are not in the log to the streams of this process. */
export interface ConsoleNotices {
  /** @shape agentId: undefined for all agents of the account */
  deliver(accountId: number, agentId: string | undefined, notice: ConsoleNotice): void;
  /** -> stops */
  follow(accountId: number, agentId: string, listener: Listener): () => void;
}

export const createConsoleNotices = (): ConsoleNotices => {
  /** Listeners with their agents, by account. */
  const accounts = new Map<number, Map<Listener, string>>();
  return {
    deliver(accountId, agentId, notice) {
      for (const [listener, owner] of accounts.get(accountId) ?? [])
        if (agentId === undefined || owner === agentId) listener(notice);
    },
    follow(accountId, agentId, listener) {
      const listeners = accounts.get(accountId) ?? new Map<Listener, string>();
      accounts.set(accountId, listeners.set(listener, agentId));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && accounts.get(accountId) === listeners) accounts.delete(accountId);
      };
    },
  };
};
