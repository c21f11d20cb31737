import type { OwnChange } from "@parley/contract";

/**
 * Tells the other devices of an agent that something of its own has changed, after the commit. A call is cheap and never throws.
 * @shape agentId: undefined for what all agents of the account share
 */
export type NotifyOwnChange = (accountId: number, agentId: string | undefined, change: OwnChange) => void;
