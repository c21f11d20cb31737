import type { Conversation, ConversationChange, Group, Message } from "@parley/contract";
import type { EventPayload, KeyValueStore } from "@parley/framework/sdk";
import type { Account } from "./account.ts";
import { isAttended } from "./attended.ts";
import { alike } from "./lines.ts";
import { choiceOf, parseMenu, type Choice } from "./menu.ts";
import { settingsOf } from "./settings.ts";
import { isChosen } from "./topics.ts";

export interface RouteDeps {
  readonly account: Account;
  readonly db: KeyValueStore;
  readonly log: Pick<Console, "info" | "error">;
}

/** What a customer has said, when it is one text: a quick reply arrives as the text of its label. */
const wordsOf = ({ actor_type, message_parts }: Message): string | undefined => {
  const [text, ...more] = message_parts.flatMap((part) => (part.text ? [part.text.content] : []));
  return actor_type === "user" && more.length === 0 ? text : undefined;
};

const isThere = (now: Conversation, group: Group, { priority }: Choice): boolean =>
  now.assigned_group_id === group.id && (!priority || !now.properties || now.properties["priority"] === priority);

const wasHandled = async (db: KeyValueStore, key: string): Promise<boolean> => {
  try {
    await db.get(key);
    return true;
  } catch (error) {
    if (((error ?? {}) as { readonly status?: number }).status === 404) return false;
    throw error;
  }
};

/** A stand-alone account has no properties: there the group alone is set. */
async function assign(account: Account, id: string, group: Group, { priority }: Choice) {
  const change: ConversationChange = { status: "assigned", assigned_group_id: group.id };
  if (!priority) return account.change(id, change);
  const reply = await account.change(id, { ...change, properties: { priority } });
  return reply.ok || reply.status !== "INVALID_PROPERTY" ? reply : account.change(id, change);
}

/**
 * Leads the conversation to the group of the line that the customer has chosen from the menu.
 * A choice is handled once; the state is asked for, since the event's may be old and an agent may have come in between.
 * @errors Error when the messaging API can't be reached: the event then comes again
 */
export async function routeChoice({ data, iparams }: EventPayload, { account, db, log }: RouteDeps): Promise<void> {
  const { channel } = data.associations;
  const message = data.message?.messages?.[0];
  const words = message && wordsOf(message);
  if (!channel || !words) return;
  const { menu, topics } = settingsOf(iparams);
  const choice = choiceOf(parseMenu(menu).choices, words);
  if (!choice || !isChosen(channel, topics)) return;

  const handled = `routed:${message.id}`;
  if (await wasHandled(db, handled)) return;
  const id = message.conversation_id;
  const now = await account.conversation(id);
  if (!now.ok) return log.error(`Conversation ${id} can't be routed (${now.status}).`);
  if (isAttended(now.body)) return;
  const group = (await account.groups()).find(({ name }) => alike(name) === alike(choice.group));
  if (!group)
    return log.error(
      `Line ${choice.line} of the menu leads to the group ${choice.group}, which the account does not have.`,
    );

  if (!isThere(now.body, group, choice)) {
    const changed = await assign(account, id, group, choice);
    if (!changed.ok) return log.error(`Conversation ${id} can't be routed to ${group.name} (${changed.status}).`);
    log.info(`Routed conversation ${id} to the group ${group.name}.`);
  }
  await db.set(handled, { group: group.id });
}
