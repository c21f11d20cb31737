import { recordDecision } from "./lib/decision-log.ts";
import { findOutboundEvent, parseOutboundEvents, outboundHostOf, outboundRequest } from "./lib/outbound-messages.ts";
import {
  agentArgument,
  idArgument,
  nameOfAgent,
  textArgument,
  timeArgument,
  type PanelFunction,
} from "./lib/panel-function.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import type { PanelSent } from "./lib/panel-view.ts";
import { oncePerKey } from "./lib/records.ts";
import { templateViewOf } from "./lib/template-view.ts";
import { panelConversationOf, panelUserOf } from "./panel.ts";

const EVENT_CHARACTERS = 200;

/**
 * Sends a template message to the customer's phone, one for each value of `once`.
 * @shape args: conversation_id, event, once, agent, now
 */
export const panelOutbound: PanelFunction<PanelSent> = async (args, { account, db, settings, domain }) => {
  const id = idArgument(args, "conversation_id");
  const key = idArgument(args, "once");
  const agent = agentArgument(args);
  const now = timeArgument(args, "now");
  const event = textArgument(args, "event", EVENT_CHARACTERS);
  const message =
    settings.syncIn.isOn && findOutboundEvent(parseOutboundEvents(settings.outbound.events).events, event);
  if (!message) throw new RequestRefusedError(404, "This template message isn't among the settings any more.");
  const user = await panelUserOf(account, await panelConversationOf(account, id));
  const request = outboundRequest(settings.outbound, message, user?.phone, templateViewOf(settings, { user }, now));
  if (!request.ok) throw new RequestRefusedError(409, `The message can't be sent: ${request.problem}`);
  await oncePerKey(db, `sent:${key.slice(0, 50)}`, async () => {
    const sent = await account.sendOutbound(outboundHostOf(domain), request.body, `panel:${id}:${key}`);
    if (!sent.ok) throw new RequestRefusedError(409, `The messaging service refuses the message (${sent.status}).`);
    await recordDecision(db, id, `panel-${key}`, {
      at: now.toISOString(),
      did: `Sent the template message ${message.template}.`,
      why: `Asked for here by ${nameOfAgent(agent)}.`,
    });
  });
  return { message: `The template message ${message.template} is on its way.` };
};
