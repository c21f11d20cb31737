import { note } from "./lib/journal.ts";
import { outboundFor, parseOutboundEvents } from "./lib/outbound.ts";
import { outboundHostOf, outboundRequest } from "./lib/outbound-request.ts";
import { agentIn, idIn, nameOfAgent, textIn, timeIn } from "./lib/panel-args.ts";
import { Refused } from "./lib/refused.ts";
import type { PanelFunction } from "./lib/panel-call.ts";
import type { PanelSent } from "./lib/panel-view.ts";
import { once } from "./lib/records.ts";
import { viewOf } from "./lib/view.ts";
import { conversationOf, userOf } from "./panel.ts";

const EVENT_CHARACTERS = 200;

/**
 * Sends a template message to the customer's phone, once for each `once`.
 * @shape args: conversation_id, event, once, agent, now
 */
export const panelOutbound: PanelFunction<PanelSent> = async (args, { account, db, settings, domain }) => {
  const id = idIn(args, "conversation_id");
  const key = idIn(args, "once");
  const agent = agentIn(args);
  const now = timeIn(args, "now");
  const event = textIn(args, "event", EVENT_CHARACTERS);
  const message = settings.syncIn.isOn && outboundFor(parseOutboundEvents(settings.outbound.events).events, event);
  if (!message) throw new Refused(404, "This template message isn't among the settings any more.");
  const user = await userOf(account, await conversationOf(account, id));
  const request = outboundRequest(settings.outbound, message, user?.phone, viewOf(settings, { user }, now));
  if (!request.ok) throw new Refused(409, `The message can't be sent: ${request.problem}`);
  await once(db, `sent:${key.slice(0, 50)}`, async () => {
    const sent = await account.sendOutbound(outboundHostOf(domain), request.body, `panel:${id}:${key}`);
    if (!sent.ok) throw new Refused(409, `The messaging service refuses the message (${sent.status}).`);
    await note(db, id, `panel-${key}`, {
      at: now.toISOString(),
      did: `Sent the template message ${message.template}.`,
      why: `Asked for here by ${nameOfAgent(agent)}.`,
    });
  });
  return { message: `The template message ${message.template} is on its way.` };
};
