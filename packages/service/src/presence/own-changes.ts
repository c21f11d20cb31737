import type { OwnChange } from "@parley/contract";

type Listener = (change: OwnChange) => void;

/** Passes changes of agents' own to the streams of this process. */
export interface OwnChanges {
  /** @shape agentId: undefined for all agents of the account */
  deliver(accountId: number, agentId: string | undefined, change: OwnChange): void;
  /** -> stops */
  follow(accountId: number, agentId: string, listener: Listener): () => void;
}

export const createOwnChanges = (): OwnChanges => {
  /** Listeners with their agents, by account. */
  const accounts = new Map<number, Map<Listener, string>>();
  return {
    deliver(accountId, agentId, change) {
      for (const [listener, owner] of accounts.get(accountId) ?? [])
        if (agentId === undefined || owner === agentId) listener(change);
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
