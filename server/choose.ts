import type { Conversation, Group } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import type { Account } from "./lib/account.ts";
import { isAttended } from "./lib/attended.ts";
import { wordsOf } from "./lib/bot-message.ts";
import { note } from "./lib/journal.ts";
import { alike } from "./lib/lines.ts";
import { choiceOf, parseMenu, type Choice } from "./lib/menu.ts";
import { once } from "./lib/records.ts";
import { isChosen } from "./lib/topics.ts";
import type { UseCase } from "./lib/use-case.ts";

const isThere = (now: Conversation, group: Group, { priority }: Choice): boolean =>
  now.assigned_group_id === group.id && (!priority || !now.properties || now.properties["priority"] === priority);

/** A stand-alone account has no properties: there the group alone is set. */
const assign = async (account: Account, id: string, group: Group, { priority }: Choice) => {
  const change = { status: "assigned", assigned_group_id: group.id } as const;
  if (!priority) return account.change(id, change);
  const whole = await account.change(id, { ...change, properties: { priority } });
  return !whole.ok && whole.status === "INVALID_PROPERTY" ? account.change(id, change) : whole;
};

/** A customer's choice from the menu becomes the conversation's group and priority. */
export const choose: UseCase<EventPayload> = {
  name: "choose",
  async run({ data }, { account, db, log, settings, now }) {
    const { channel } = data.associations;
    const message = data.message?.messages?.[0];
    const words = message && wordsOf(message);
    if (!channel || !words || !isChosen(channel, settings.topics)) return;
    const choice = choiceOf(parseMenu(settings.menu).choices, words);
    if (!choice) return;

    const id = message.conversation_id;
    await once(db, `chosen:${message.id}`, async () => {
      const present = await account.conversation(id);
      if (!present.ok) return log.error(`Conversation ${id} can't be routed (${present.status}).`);
      if (isAttended(present.body)) return;
      const group = (await account.groups()).find(({ name }) => alike(name) === alike(choice.group));
      if (!group)
        return log.error(
          `Line ${choice.line} of the menu leads to the group ${choice.group}, which the account does not have.`,
        );
      if (!isThere(present.body, group, choice)) {
        const changed = await assign(account, id, group, choice);
        if (!changed.ok) return log.error(`Conversation ${id} can't be routed to ${group.name} (${changed.status}).`);
        log.info(`Routed conversation ${id} to the group ${group.name}.`);
      }
      await note(db, id, `choice-${message.id}`, {
        at: now.toISOString(),
        did: `Routed to ${group.name}${choice.priority ? `, priority ${choice.priority}` : ""}.`,
        why: `The customer chose "${choice.label}".`,
      });
    });
  },
};
