import type { OwnChange } from "@parley/contract";

/**
 * Tells the streams of an agent, in all processes, about a change of the agent's own. Call it after the commit; it does not fail.
 * @shape agentId: undefined for all agents of the account
 */
export type NotifyOwnChange = (accountId: number, agentId: string | undefined, change: OwnChange) => void;
