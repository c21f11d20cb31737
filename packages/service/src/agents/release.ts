import type { Db } from "@parley/database";
import type { Release } from "../conversations/releasing.ts";
import type { Jobs, Task } from "../jobs/index.ts";

/** A deleted agent, as the work that follows names it. */
interface Gone {
  readonly account_id: number;
  readonly agent_id: string;
}

const TASK = "agents.release";

/** Another process may know the agent a little longer, and assign to it: after this nobody does. @units milliseconds */
const STALE = 5_000;

/** What follows the deletion of an agent, asked for in the deletion's transaction. */
export interface Releases {
  ask(tx: Db, accountId: number, agentId: string): Promise<void>;
  wake(): void;
}

export const releases = (jobs: Pick<Jobs, "later" | "wake">, now: () => Date): Releases => ({
  ask: async (tx, account_id, agent_id) => {
    const payload: Gone = { account_id, agent_id };
    for (const wait of [0, STALE]) await jobs.later(tx, { task: TASK, payload, due: new Date(now().getTime() + wait) });
  },
  wake: () => jobs.wake(),
});

export const releaseTasks = (release: Release): Readonly<Record<string, Task>> => ({
  [TASK]: async (payload, { signal }) => {
    const { account_id, agent_id } = payload as Gone;
    await release(account_id, agent_id, signal);
  },
});
