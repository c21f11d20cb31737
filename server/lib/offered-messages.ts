import type { User } from "@parley/contract";
import { parseOutboundEvents } from "./outbound.ts";
import { outboundRequest } from "./outbound-request.ts";
import type { PanelOutbound } from "./panel-view.ts";
import type { Settings } from "./settings.ts";
import { viewOf } from "./view.ts";

/** The template messages that an agent may send to this customer: one that needs the data of an event is not among them. */
export const offeredMessages = (settings: Settings, user: User | undefined, now: Date): PanelOutbound => {
  const view = viewOf(settings, { user }, now);
  const messages = parseOutboundEvents(settings.outbound.events).events.map(({ event, ...message }) => ({
    name: { event, template: message.template },
    request: outboundRequest(settings.outbound, message, user?.phone, view),
  }));
  const ready = messages.flatMap(({ name, request }) => (request.ok ? [name] : []));
  const [problem] = messages.flatMap(({ request }) => (request.ok ? [] : [request.problem]));
  return { ready, ...(ready.length === 0 && problem && { problem }) };
};
