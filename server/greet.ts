import type { EventPayload } from "@parley/framework/sdk";
import { isAttended } from "./lib/assignment.ts";
import { botMessage, messageMarkOf } from "./lib/bot-message.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { continuationOfferOf, saveOffer, lastConversationOf } from "./lib/returning-customer.ts";
import { findChoice, parseMenu } from "./lib/menu.ts";
import { menuParts, GREETING_MARK } from "./lib/quick-replies.ts";
import { oncePerKey } from "./lib/records.ts";
import type { Settings } from "./lib/settings.ts";
import { parseTopicWelcomes, findTopicWelcome, isTopicEnabled } from "./lib/topic-welcomes.ts";
import type { WriteLog, UseCase } from "./lib/use-case.ts";
import { renderMessage } from "./lib/template.ts";
import { templateViewOf } from "./lib/template-view.ts";

/** The template for a customer without known data. */
const welcomeTemplateFor = (
  settings: Settings,
  topic: string,
  log: WriteLog,
): { readonly name: string; readonly text: string } => {
  const { welcomes, problems } = parseTopicWelcomes(settings.topicWelcomes);
  for (const { line, message } of problems)
    log.warn(
      `Line ${line} of the welcome messages of single topics is ignored: ${message} Correct it on the installation page.`,
    );
  const topicWelcome = findTopicWelcome(welcomes, topic);
  return topicWelcome
    ? { name: `Welcome messages of single topics, line ${topicWelcome.line}`, text: topicWelcome.welcome }
    : { name: "Welcome message", text: settings.welcome };
};

/**
 * Greets the customer of a new conversation with the welcome message and the menu.
 * @errors Error if the template can't be parsed
 */
export const greet: UseCase<EventPayload> = {
  name: "greet",
  title: "Greeting",
  async run({ data }, { account, db, log, settings, now }) {
    const { conversation } = data;
    const { channel, user } = data.associations;
    if (!conversation || !channel || !isTopicEnabled(channel, settings.topics) || isAttended(conversation)) return;
    const id = conversation.conversation_id;

    await oncePerKey(db, `greeted:${id}`, async () => {
      // If an agent has already answered, the event is late and a greeting would interrupt.
      if (await account.hasMessage(id, (one) => messageMarkOf(one) === GREETING_MARK || one.actor_type === "agent"))
        return;

      const last =
        settings.welcomeBack.trim() && user ? await lastConversationOf(account, user.id, id, channel) : undefined;
      const welcome = last
        ? { name: "Welcome message of known customers", text: settings.welcomeBack }
        : welcomeTemplateFor(settings, channel.name, log);
      const view = templateViewOf(settings, { user, channel, conversation }, now, {
        last: last && { topic: last.topic },
      });
      const text = renderMessage(welcome.text, welcome.name, view);
      if (!text)
        return log.info(
          `Greeting not sent to conversation ${id}: the setting "${welcome.name}" renders no text for this customer.`,
        );

      const { choices } = parseMenu(settings.menu);
      const offer = last && continuationOfferOf(last);
      const isOffered = offer && !findChoice(choices, offer.label);
      if (isOffered) await saveOffer(db, id, offer);
      const labels = [...(isOffered ? [offer.label] : []), ...choices.map(({ label }) => label)];
      const parts = menuParts(settings.menuStyle, labels, channel.icon?.url);
      const sent = await account.send(id, botMessage(settings, GREETING_MARK, text, parts), `greeting:${id}`);
      if (!sent.ok)
        return log.error(`Greeting not sent to conversation ${id}: the account refused it (${sent.status}).`);
      await recordDecision(db, id, GREETING_MARK, {
        at: now.toISOString(),
        did: `Greeted in the topic ${channel.name}.`,
        ...(last && { why: `The customer has written before${last.topic ? `, in the topic ${last.topic}` : ""}.` }),
      });
      log.info(`Greeted conversation ${id} in the topic ${channel.name}.`);
    });
  },
};
