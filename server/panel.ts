import type { User, Channel, Conversation } from "@parley/contract";
import { findOutboundEvent, parseOutboundEvents, outboundHostOf, outboundRequest } from "./lib/outbound-messages.ts";
import {
  type PanelOutbound,
  panelConversation,
  panelCustomer,
  type PanelReply,
  type PanelSent,
  type PanelView,
  type PastConversation,
} from "./lib/panel-view.ts";
import type { Settings } from "./lib/settings.ts";
import { templateViewOf } from "./lib/template-view.ts";
import type { AccountClient } from "./lib/account-client.ts";
import { questionKey, type RatingQuestion } from "./lib/csat-answer.ts";
import { decisionsOf, recordDecision } from "./lib/decision-log.ts";
import { LEAD_OUTCOME_PREFIX } from "./lib/lead-consent.ts";
import {
  agentArgument,
  idArgument,
  nameOfAgent,
  textArgument,
  timeArgument,
  type PanelAgent,
  type PanelDeps,
  type PanelFunction,
} from "./lib/panel-function.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import { claimRecord, findRecord, oncePerKey, putRecord } from "./lib/records.ts";
import { parseReplyTemplates, findReplyTemplate, type ReplyTemplateLine } from "./lib/reply-templates.ts";
import { renderMessage } from "./lib/template.ts";

/** The template messages that an agent may send to this customer: those that need no event data. */
export const offeredMessages = (settings: Settings, user: User | undefined, now: Date): PanelOutbound => {
  const view = templateViewOf(settings, { user }, now);
  const messages = parseOutboundEvents(settings.outbound.events).events.map(({ event, ...message }) => ({
    name: { event, template: message.template },
    request: outboundRequest(settings.outbound, message, user?.phone, view),
  }));
  const ready = messages.flatMap(({ name, request }) => (request.ok ? [name] : []));
  const [problem] = messages.flatMap(({ request }) => (request.ok ? [] : [request.problem]));
  return { ready, ...(ready.length === 0 && problem && { problem }) };
};

/** Maximum number of past conversations in the panel: each takes a request. */
export const PAST_CONVERSATIONS_MAX = 5;

/** @errors RequestRefusedError */
export const panelConversationOf = async (account: AccountClient, id: string): Promise<Conversation> => {
  const reply = await account.conversation(id);
  if (reply.ok) return reply.body;
  if (reply.status === "CONVERSATION_NOT_FOUND")
    throw new RequestRefusedError(404, "This conversation isn't there any more.");
  throw new RequestRefusedError(400, `The messaging service refuses to show this conversation (${reply.status}).`);
};

/** -> undefined if the user was deleted */
const panelUserOf = async (account: AccountClient, { user_id }: Conversation): Promise<User | undefined> => {
  const reply = await account.user(user_id);
  return reply.ok ? reply.body : undefined;
};

/** Context of a reply. */
interface ReplyContext {
  readonly conversation: Conversation;
  readonly user: User | undefined;
  readonly channels: readonly Channel[];
  readonly agent: PanelAgent;
  readonly now: Date;
}

const replyRenderer = (settings: Settings, { conversation, user, channels, agent, now }: ReplyContext) => {
  const channel = channels.find(({ id }) => id === conversation.channel_id);
  const view = templateViewOf(settings, { user, channel, conversation }, now, { agent });
  return ({ name, text }: ReplyTemplateLine): PanelReply => ({
    name,
    text: renderMessage(text, `Replies: ${name}`, view),
  });
};

const pastConversationsOf = async ({ account, db }: PanelDeps, { user_id, conversation_id }: Conversation) => {
  const ids = (await account.conversationsOf(user_id)).filter((id) => id !== conversation_id);
  const readConversation = async (id: string): Promise<readonly PastConversation[]> => {
    const [reply, question] = await Promise.all([
      account.conversation(id),
      findRecord<RatingQuestion>(db, questionKey(id)),
    ]);
    const rating = question?.isRated ? question.rating : undefined;
    return reply.ok ? [{ ...panelConversation(reply.body), ...(rating !== undefined && { rating }) }] : [];
  };
  const newest = ids.slice(0, PAST_CONVERSATIONS_MAX);
  const [past, leads] = await Promise.all([
    Promise.all(newest.map(readConversation)),
    Promise.all([conversation_id, ...newest].map((id) => decisionsOf(db, id, LEAD_OUTCOME_PREFIX))),
  ]);
  return {
    past: past.flat(),
    earlier: ids.length - newest.length,
    leads: leads.flat().sort((lead, other) => (lead.at < other.at ? 1 : -1)),
  };
};

const toNamedEntry = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name });

/**
 * Returns all data that the panel shows for a conversation.
 * @shape args: conversation_id, agent, now
 */
export const panelView: PanelFunction<PanelView> = async (args, deps) => {
  const { account, db, settings } = deps;
  const id = idArgument(args, "conversation_id");
  const agent = agentArgument(args);
  const now = timeArgument(args, "now");
  const conversation = await panelConversationOf(account, id);
  const [user, did, channels, groups, before] = await Promise.all([
    panelUserOf(account, conversation),
    decisionsOf(db, id),
    account.channels(),
    account.groups(),
    pastConversationsOf(deps, conversation),
  ]);
  const replies = parseReplyTemplates(settings.replyTemplates).templates.map(
    replyRenderer(settings, { conversation, user, channels, agent, now }),
  );
  return {
    conversation: panelConversation(conversation),
    ...(user && { customer: panelCustomer(user) }),
    did,
    topics: channels.map(toNamedEntry),
    groups: groups.map(toNamedEntry),
    ...before,
    replies: replies.filter(({ text }) => text !== ""),
    escalation: settings.csat.group,
    outbound: settings.syncIn.isOn ? offeredMessages(settings, user, now) : { ready: [] },
    syncIn: settings.syncIn.isOn,
  };
};

/**
 * Renders a reply for the editor with the present data.
 * @shape args: conversation_id, name, agent, now
 */
export const panelReply: PanelFunction<PanelReply> = async (args, { account, settings }) => {
  const id = idArgument(args, "conversation_id");
  const name = textArgument(args, "name");
  const agent = agentArgument(args);
  const now = timeArgument(args, "now");
  const template = findReplyTemplate(parseReplyTemplates(settings.replyTemplates).templates, name);
  if (!template) throw new RequestRefusedError(404, "This reply isn't among the settings any more.");
  const conversation = await panelConversationOf(account, id);
  const [user, channels] = await Promise.all([panelUserOf(account, conversation), account.channels()]);
  const reply = replyRenderer(settings, { conversation, user, channels, agent, now })(template);
  if (!reply.text) throw new RequestRefusedError(409, "This reply says nothing for this customer.");
  return reply;
};

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

/** The address, if it may be shown; `shown` if it was shown before, so that only a new one can be. */
export type ShownAddress = { readonly address: string } | { readonly shown: true };

/** URL for other systems, of the app on this account. A renewal revokes the previous address. */
type TargetUrl = (options?: { readonly renew: true }) => Promise<string>;

const ADDRESS_KEY = "address";

/**
 * The address at which other systems post events to Concierge. The address itself is the credential, so it is shown once; with `renew` a new one
 * replaces it and is shown.
 */
export const panelAddress =
  (targetUrl: TargetUrl): PanelFunction<ShownAddress> =>
  async ({ renew }, { db, settings }) => {
    if (!settings.syncIn.isOn)
      throw new RequestRefusedError(403, "Taking in what other systems tell is switched off on the installation page.");
    if (renew === true) {
      const address = await targetUrl({ renew: true });
      await putRecord(db, ADDRESS_KEY, { shown: true });
      return { address };
    }
    return (await claimRecord(db, ADDRESS_KEY, { shown: true })) ? { address: await targetUrl() } : { shown: true };
  };
