import type { CustomerPresence, Presence } from "@parley/contract";
import { createStore } from "../state/store.ts";
import type { LiveItem, LivePresences } from "./live-messages.ts";

/** Agents who have a conversation open, by its id. Conversations without any are absent. */
export const presences = createStore<ReadonlyMap<string, readonly Presence[]>>(new Map());
/** Customers of the messenger in conversations that the agent has open, by the conversation's id. */
export const customers = createStore<ReadonlyMap<string, CustomerPresence>>(new Map());

/** What a new tab takes over. */
export const presencesOfTab = (): LivePresences => ({ presences: presences.get(), customers: customers.get() });
export const takePresences = (of: LivePresences): void => {
  presences.set(of.presences);
  customers.set(of.customers);
};

/** @shape agentId: that of the page's agent; undefined: not known yet */
export const notePresences = (items: readonly LiveItem[], agentId: string | undefined): void => {
  const agentsIn = new Map(presences.get());
  const customerIn = new Map(customers.get());
  let isChanged = false;
  for (const item of items) {
    if (item.event === "stream_start") {
      // A new stream sends all presences again.
      agentsIn.clear();
      customerIn.clear();
    } else if (item.event === "presence") {
      const { conversation_id, agents } = item.data;
      if (agents.length === 0) agentsIn.delete(conversation_id);
      else agentsIn.set(conversation_id, agents);
      // The service tells nothing of customers while the agent has the conversation open nowhere.
      if (!agents.some(({ agent_id }) => agent_id === agentId)) customerIn.delete(conversation_id);
    } else if (item.event === "customer_presence") customerIn.set(item.data.conversation_id, item.data);
    else continue;
    isChanged = true;
  }
  if (!isChanged) return;
  presences.set(agentsIn);
  customers.set(customerIn);
};
