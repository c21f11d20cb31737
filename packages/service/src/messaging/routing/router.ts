import type { Db } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { runLoop } from "../../base/concurrency/run-loop.ts";
import { createStopController, createWakeSignal, sleep } from "../../base/concurrency/wake-signal.ts";
import type { ConversationWrite, ConversationWriter } from "../conversations/conversation-writer.ts";
import type { ConversationRow } from "../conversations/store.ts";
import { stateAfterUpdate } from "../conversations/transitions.ts";
import type { SessionRules } from "../../http/session-rules.ts";
import { chooseAgents, placesIn, type ChosenAgent } from "./choice.ts";
import { routingStore, type WaitingGroup } from "./store.ts";

/** @assumed The numbers. */
const ROUTING_RULES = {
  /** Longest time between two looks: other processes, and changes of agents, are noticed by it. @units milliseconds */
  pollMs: 1_000,
  /** How long commits gather before a look. @units milliseconds */
  gatherMs: 50,
  /** Conversations that one transaction assigns: other writes wait for it. */
  batchSize: 50,
} as const;

interface RouterDeps {
  readonly db: Db;
  readonly writer: Pick<ConversationWriter, "changeChosen">;
  readonly now: () => Date;
  /** When sessions of agents end. */
  readonly sessionRules: Pick<SessionRules, "maxIdleMs">;
  readonly log: Log;
}

/** Assigns the conversations that wait in the groups of accounts with automatic assignment. */
interface Router {
  /** Starts it; nothing is read before. */
  begin(): void;
  /** Something was committed that may concern it. */
  wake(): void;
  /** Finishes the transaction under way. */
  close(): Promise<void>;
}

/** The assignment of a conversation by the system. The group is checked already, since it may have changed in the directory only. */
const writeOf = ({ conversation, agent }: ChosenAgent<ConversationRow>): ConversationWrite => ({
  conversation,
  next: stateAfterUpdate(conversation, { agent }),
  interaction_id: conversation.interaction_id,
  properties: conversation.properties,
  actor_type: "system",
  actor_id: null,
  messages: [],
});

/**
 * Assigns a batch of one account's waiting conversations, in one transaction. It decides on what the database contains at that moment, on the
 * connection of all writes of this process, so that nothing that this process writes changes an agent's load in between.
 * -> whether more could be assigned
 * @assumed An agent can exceed the capacity by assignments that people or tokens make, never by automatic assignments, except when another process
 * assigns a conversation to the same agent in the same milliseconds.
 */
const assignBatch = async (
  { writer, now, sessionRules }: Pick<RouterDeps, "writer" | "now" | "sessionRules">,
  accountId: number,
  groups: readonly WaitingGroup[],
): Promise<boolean> => {
  let chosen: ChosenAgent<ConversationRow>[] = [];
  let isFull = false;
  const choose = async (tx: Db): Promise<ConversationWrite[]> => {
    const store = routingStore(tx);
    if (!(await store.lock(accountId))) return [];
    const ids = groups.map(({ id }) => id);
    const time = now();
    const idleSince = new Date(time.getTime() - sessionRules.maxIdleMs);
    const agents = await store.agents(accountId, ids, { now: time, idleSince });
    const places = groups.flatMap((group) => {
      const count = placesIn(group, agents, ROUTING_RULES.batchSize);
      return count > 0 ? [{ group: group.id, count }] : [];
    });
    if (places.length === 0) return [];
    const waiting = await store.waiting(accountId, places);
    chosen = chooseAgents(groups, agents, waiting).slice(0, ROUTING_RULES.batchSize);
    isFull = chosen.length === ROUTING_RULES.batchSize;
    return chosen.map(writeOf);
  };
  await writer.changeChosen(choose, async (tx, written) => {
    const reasons = written.flatMap((done, index) => {
      const choice = chosen[index];
      if (!done || !choice) return [];
      const { conversation, agent, logic, load } = choice;
      const time = done.conversation.updated_time;
      return [{ conversation_id: conversation.id, agent_id: agent.id, logic, load, capacity: agent.capacity, time }];
    });
    if (reasons.length > 0) await routingStore(tx).record(accountId, reasons);
  });
  return isFull;
};

/**
 * Looks for waiting conversations after each commit of this process, and every second. Waiting conversations and free agents are read from
 * the database each time: a conversation that arrives, an agent who becomes available, and capacity that becomes free need no event of their own.
 */
export const createRouter = ({ db, writer, now, sessionRules, log }: RouterDeps): Router => {
  const stop = createStopController();
  const grown = createWakeSignal();
  const step = async (): Promise<void> => {
    await grown.wait(ROUTING_RULES.pollMs);
    await sleep(ROUTING_RULES.gatherMs, stop.signal);
    if (stop.signal.aborted) return;
    const groups = await routingStore(db).waitingGroups();
    for (const accountId of new Set(groups.map(({ account_id }) => account_id))) {
      if (stop.signal.aborted) return;
      const own = groups.filter(({ account_id }) => account_id === accountId);
      if (await assignBatch({ writer, now, sessionRules }, accountId, own)) grown.notify();
    }
  };
  let running: Promise<void> | undefined;
  return {
    begin: () => {
      running ??= runLoop("automatic assignment", step, { signal: stop.signal, log });
    },
    wake: () => grown.notify(),
    async close() {
      stop.abort();
      grown.notify();
      await running;
    },
  };
};
