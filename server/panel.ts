import type { Channel, Conversation, User } from "@parley/contract";
import type { Account } from "./lib/account.ts";
import { questionKey, type Asked } from "./lib/csat-answer.ts";
import { journalOf } from "./lib/journal.ts";
import { OUTCOME } from "./lib/lead-outcome.ts";
import { offeredMessages } from "./lib/offered-messages.ts";
import { agentIn, idIn, textIn, timeIn, type PanelAgent } from "./lib/panel-args.ts";
import { Refused } from "./lib/refused.ts";
import type { PanelDeps, PanelFunction } from "./lib/panel-call.ts";
import {
  panelConversation,
  panelCustomer,
  type PanelReply,
  type PanelView,
  type PastConversation,
} from "./lib/panel-view.ts";
import { find } from "./lib/records.ts";
import { parseReplyTemplates, replyOf, type ReplyTemplate } from "./lib/reply-templates.ts";
import type { Settings } from "./lib/settings.ts";
import { rendered } from "./lib/template.ts";
import { viewOf } from "./lib/view.ts";

/** Past conversations that are shown: each takes a call. */
export const MOST_PAST = 5;

/** @errors Refused */
export const conversationOf = async (account: Account, id: string): Promise<Conversation> => {
  const reply = await account.conversation(id);
  if (reply.ok) return reply.body;
  if (reply.status === "CONVERSATION_NOT_FOUND") throw new Refused(404, "This conversation isn't there any more.");
  throw new Refused(400, `The messaging service refuses to show this conversation (${reply.status}).`);
};

/** -> undefined for one who was deleted */
export const userOf = async (account: Account, { user_id }: Conversation): Promise<User | undefined> => {
  const reply = await account.user(user_id);
  return reply.ok ? reply.body : undefined;
};

/** Whom and what a reply speaks of. */
interface Spoken {
  readonly conversation: Conversation;
  readonly user: User | undefined;
  readonly channels: readonly Channel[];
  readonly agent: PanelAgent;
  readonly now: Date;
}

const renderedFor = (settings: Settings, { conversation, user, channels, agent, now }: Spoken) => {
  const channel = channels.find(({ id }) => id === conversation.channel_id);
  const view = viewOf(settings, { user, channel, conversation }, now, { agent });
  return ({ name, text }: ReplyTemplate): PanelReply => ({ name, text: rendered(text, `Replies: ${name}`, view) });
};

const pastOf = async ({ account, db }: PanelDeps, { user_id, conversation_id }: Conversation) => {
  const ids = (await account.conversationsOf(user_id)).filter((id) => id !== conversation_id);
  const one = async (id: string): Promise<readonly PastConversation[]> => {
    const [reply, asked] = await Promise.all([account.conversation(id), find<Asked>(db, questionKey(id))]);
    const rating = asked?.isRated ? asked.rating : undefined;
    return reply.ok ? [{ ...panelConversation(reply.body), ...(rating !== undefined && { rating }) }] : [];
  };
  const newest = ids.slice(0, MOST_PAST);
  const [past, leads] = await Promise.all([
    Promise.all(newest.map(one)),
    Promise.all([conversation_id, ...newest].map((id) => journalOf(db, id, OUTCOME))),
  ]);
  return {
    past: past.flat(),
    earlier: ids.length - newest.length,
    leads: leads.flat().sort((lead, other) => (lead.at < other.at ? 1 : -1)),
  };
};

const named = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name });

/**
 * Shows all that the panel shows of a conversation.
 * @shape args: conversation_id, agent, now
 */
export const panelView: PanelFunction<PanelView> = async (args, deps) => {
  const { account, db, settings } = deps;
  const id = idIn(args, "conversation_id");
  const agent = agentIn(args);
  const now = timeIn(args, "now");
  const conversation = await conversationOf(account, id);
  const [user, did, channels, groups, before] = await Promise.all([
    userOf(account, conversation),
    journalOf(db, id),
    account.channels(),
    account.groups(),
    pastOf(deps, conversation),
  ]);
  const replies = parseReplyTemplates(settings.replyTemplates).templates.map(
    renderedFor(settings, { conversation, user, channels, agent, now }),
  );
  return {
    conversation: panelConversation(conversation),
    ...(user && { customer: panelCustomer(user) }),
    did,
    topics: channels.map(named),
    groups: groups.map(named),
    ...before,
    replies: replies.filter(({ text }) => text !== ""),
    escalation: settings.csat.group,
    outbound: settings.syncIn.isOn ? offeredMessages(settings, user, now) : { ready: [] },
    syncIn: settings.syncIn.isOn,
  };
};

/**
 * Renders a reply for the editor, as things are now.
 * @shape args: conversation_id, name, agent, now
 */
export const panelReply: PanelFunction<PanelReply> = async (args, { account, settings }) => {
  const id = idIn(args, "conversation_id");
  const name = textIn(args, "name");
  const agent = agentIn(args);
  const now = timeIn(args, "now");
  const template = replyOf(parseReplyTemplates(settings.replyTemplates).templates, name);
  if (!template) throw new Refused(404, "This reply isn't among the settings any more.");
  const conversation = await conversationOf(account, id);
  const [user, channels] = await Promise.all([userOf(account, conversation), account.channels()]);
  const reply = renderedFor(settings, { conversation, user, channels, agent, now })(template);
  if (!reply.text) throw new Refused(409, "This reply says nothing for this customer.");
  return reply;
};
