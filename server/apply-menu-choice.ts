import type { Conversation, Group } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import type { AccountClient } from "./lib/account-client.ts";
import { isAttended } from "./lib/assignment.ts";
import { botMessage, privateNote, messageText } from "./lib/bot-message.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { isOfferAccepted, mayAcceptOffer, type ContinuationOffer, findOffer } from "./lib/returning-customer.ts";
import { normalizeName } from "./lib/setting-lines.ts";
import { findChoice, parseMenu, type MenuChoice } from "./lib/menu.ts";
import { GREETING_MARK, isSentLater, questionMarkOf } from "./lib/quick-replies.ts";
import { oncePerKey } from "./lib/records.ts";
import { renderMessage } from "./lib/template.ts";
import { isTopicEnabled } from "./lib/topic-welcomes.ts";
import type { UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

/** The customer's choice: a line of the menu, or the group of the previous conversation. */
interface RoutingChoice extends Partial<Pick<MenuChoice, "line" | "group" | "priority">> {
  readonly label: string;
  readonly group_id?: string;
}

const groupOf = (groups: readonly Group[], { group, group_id }: RoutingChoice): Group | undefined =>
  groups.find(({ id, name }) => (group === undefined ? id === group_id : normalizeName(name) === normalizeName(group)));

const missingGroupMessage = ({ label, line, group }: RoutingChoice): string =>
  group === undefined
    ? `"${label}" leads to a group that the account does not have any more.`
    : `Line ${line} of the menu leads to the group ${group}, which the account does not have.`;

const isRouted = (now: Conversation, group: Group, { priority }: RoutingChoice): boolean =>
  now.assigned_group_id === group.id && (!priority || !now.properties || now.properties["priority"] === priority);

/** A stand-alone account has no properties: only the group is set there. */
const assign = async (account: AccountClient, id: string, group: Group, { priority }: RoutingChoice) => {
  const change = { status: "assigned", assigned_group_id: group.id } as const;
  if (!priority) return account.change(id, change);
  const withPriority = await account.change(id, { ...change, properties: { priority } });
  return !withPriority.ok && withPriority.status === "INVALID_PROPERTY" ? account.change(id, change) : withPriority;
};

/**
 * A customer's menu choice sets the conversation's group and priority, and is answered.
 * @errors Error if the template of the answer can't be parsed
 */
export const applyMenuChoice: UseCase<EventPayload> = {
  name: "choose",
  title: "Menu choice",
  async run({ data }, { account, db, log, settings, now }) {
    const { channel, user } = data.associations;
    const message = data.message?.messages?.[0];
    const text = message && messageText(message);
    if (!channel || !text || !isTopicEnabled(channel, settings.topics)) return;
    const id = message.conversation_id;
    const { choices } = parseMenu(settings.menu);
    const findChoiceOrOffer = (text: string, offer?: ContinuationOffer): RoutingChoice | undefined =>
      findChoice(choices, text) ?? (isOfferAccepted(offer, text) ? offer : undefined);
    const choice = findChoiceOrOffer(text, mayAcceptOffer(text) ? await findOffer(db, id) : undefined);
    if (!choice) return;

    await oncePerKey(db, `chosen:${message.id}`, async () => {
      const present = await account.conversation(id);
      if (!present.ok)
        return log.error(
          `Menu choice not applied to conversation ${id}: it can't be read from the account (${present.status}).`,
        );
      if (isAttended(present.body)) return;
      const messages = await account.latestMessages(id);
      if ((questionMarkOf(messages, message, text) ?? GREETING_MARK) !== GREETING_MARK) return;
      // Of two choices the later one is used, in whichever order their events arrive.
      const offer = await findOffer(db, id);
      if (isSentLater(messages, message, (later) => findChoiceOrOffer(later, offer) !== undefined)) return;

      const group = groupOf(await account.groups(), choice);
      if (!group) {
        log.error(`Menu choice not applied to conversation ${id}. ${missingGroupMessage(choice)}`);
        const note = privateNote(
          settings,
          "choice-lost",
          `The customer chose "${choice.label}". ${missingGroupMessage(choice)}`,
        );
        const sent = await account.send(id, note, `choice-lost:${message.id}`);
        if (!sent.ok)
          log.error(`Private note not added to conversation ${id}: the account refused it (${sent.status}).`);
        return;
      }
      if (!isRouted(present.body, group, choice)) {
        const changed = await assign(account, id, group, choice);
        if (!changed.ok)
          return log.error(
            `Conversation ${id} not assigned to the group ${group.name}: the account refused it (${changed.status}).`,
          );
        log.info(`Assigned conversation ${id} to the group ${group.name} by the customer's choice.`);
      }
      await recordDecision(db, id, `choice-${message.id}`, {
        at: now.toISOString(),
        did: `Routed to ${group.name}${choice.priority ? `, priority ${choice.priority}` : ""}.`,
        why: `The customer chose "${choice.label}".`,
      });

      const chosen = { label: choice.label, group: group.name, priority: choice.priority };
      const view = templateViewOf(settings, { user, channel, conversation: present.body }, now, { choice: chosen });
      const replyText = renderMessage(settings.choiceReply, "Answer to a choice", view);
      if (!replyText) return;
      const sent = await account.send(id, botMessage(settings, "choice", replyText), `choice:${message.id}`);
      if (!sent.ok)
        log.error(`Reply to the menu choice not sent to conversation ${id}: the account refused it (${sent.status}).`);
    });
  },
};
