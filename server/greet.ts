import type { EventPayload } from "@parley/framework/sdk";
import { isAttended } from "./lib/attended.ts";
import { botMessage, markOf, quickReplies } from "./lib/bot-message.ts";
import { note } from "./lib/journal.ts";
import { parseMenu } from "./lib/menu.ts";
import { once } from "./lib/records.ts";
import { isChosen } from "./lib/topics.ts";
import type { UseCase } from "./lib/use-case.ts";
import { rendered } from "./lib/template.ts";
import { viewOf } from "./lib/view.ts";

const MARK = "greeting";

/**
 * Greets the customer of a new conversation with the welcome message and the menu.
 * @errors Error when the template can't be read
 */
export const greet: UseCase<EventPayload> = {
  name: "greet",
  async run({ data }, { account, db, log, settings, now }) {
    const { conversation } = data;
    const { channel, user } = data.associations;
    if (!conversation || !channel || !isChosen(channel, settings.topics) || isAttended(conversation)) return;
    const id = conversation.conversation_id;

    const view = viewOf(settings, { user, channel, conversation }, now);
    const text = rendered(settings.welcome, "Welcome message", view);
    if (!text) return log.info(`The welcome message says nothing for conversation ${id}: no greeting.`);

    await once(db, `greeted:${id}`, async () => {
      if (await account.hasMessage(id, (message) => markOf(message) === MARK)) return;
      const { choices } = parseMenu(settings.menu);
      const buttons = choices.length > 0 ? quickReplies(choices.map(({ label }) => label)) : undefined;
      const sent = await account.send(id, botMessage(settings, MARK, text, buttons), `greeting:${id}`);
      if (!sent.ok) return log.error(`Conversation ${id} takes no greeting (${sent.status}).`);
      await note(db, id, MARK, { at: now.toISOString(), did: `Greeted in the topic ${channel.name}.` });
      log.info(`Greeted conversation ${id} in the topic ${channel.name}.`);
    });
  },
};
