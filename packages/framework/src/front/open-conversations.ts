import type { ServiceEvent } from "@parley/contract";
import type { ConversationSource } from "./conversation-source.ts";
import { createLiveConversations } from "./live-conversations.ts";
import { serviceCall, type ServiceAccess, ServiceRefused } from "./service.ts";

/** A conversation source that receives events. */
export interface OpenConversationSource extends ConversationSource {
  /** Receives each event of the service, whether or not the app subscribes to it. */
  readonly receiveEvent: (event: ServiceEvent) => void;
  /** Discards all cached data after the service's data was replaced. */
  clearCache(): void;
}

const rejected = () => Promise.reject(new ServiceRefused(501, "This host has no service."));

/** Of a host that was started without a service. */
const NO_CONVERSATIONS: OpenConversationSource = {
  recent: async () => [],
  open: async () => undefined,
  agents: async () => [],
  send: rejected,
  change: rejected,
  receiveEvent: () => undefined,
  clearCache: () => undefined,
};

/** The conversations of the service. */
export const openConversationSource = (service: ServiceAccess | undefined): OpenConversationSource => {
  if (!service) return NO_CONVERSATIONS;
  const createLive = () => createLiveConversations(serviceCall(service), service.account, service.receivesAllEvents);
  let liveConversations = createLive();
  return {
    recent: () => liveConversations.recent(),
    open: (id) => liveConversations.open(id),
    agents: () => liveConversations.agents(),
    send: (message) => liveConversations.send(message),
    change: (change) => liveConversations.change(change),
    receiveEvent: (event) => liveConversations.receiveEvent(event),
    clearCache: () => void (liveConversations = createLive()),
  };
};
