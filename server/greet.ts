import type { Message, NewMessage } from "@parley/contract";
import type { EventPayload, KeyValueStore } from "@parley/framework/sdk";
import type { Account } from "./account.ts";
import { isAttended } from "./attended.ts";
import { isFirstTry } from "./first-try.ts";
import { textOfProblems } from "./lines.ts";
import { parseMenu, type Choice } from "./menu.ts";
import { settingsOf, type Settings } from "./settings.ts";
import { isChosen } from "./topics.ts";
import { readWelcome } from "./welcome.ts";

export interface GreetDeps {
  readonly account: Account;
  readonly db: KeyValueStore;
  readonly log: Pick<Console, "info" | "error">;
}

/** Stands in the greeting's meta_data, so that a later try knows it again. */
const MARK = "greeting";

const isGreeting = ({ actor_type, meta_data }: Message): boolean =>
  actor_type === "bot" && meta_data?.["concierge"] === MARK;

const buttons = (choices: readonly Choice[]): NewMessage["reply_parts"] => [
  {
    collection: {
      sub_parts: choices.map(({ label }) => ({ quick_reply_button: { label, payload: label } })),
    },
  },
];

const messageOf = (text: string, { botName, menu }: Settings): NewMessage => {
  const { choices } = parseMenu(menu);
  return {
    actor_type: "bot",
    message_type: "normal",
    message_parts: [{ text: { content: text } }],
    ...(choices.length > 0 && { reply_parts: buttons(choices) }),
    meta_data: { bot_name: botName, concierge: MARK },
  };
};

/**
 * Greets the customer of a new conversation with the welcome message and the menu.
 * Exactly once: an event may come again, also after a try that was killed between the sending and its answer. Only a second try has to
 * look among the messages.
 * @errors Error when the template can't be read or the messaging API can't be reached: the event then comes again
 */
export async function greet({ data, iparams }: EventPayload, { account, db, log }: GreetDeps): Promise<void> {
  const { conversation } = data;
  const { channel, user } = data.associations;
  const settings = settingsOf(iparams);
  if (!conversation || !channel || !isChosen(channel, settings.topics) || isAttended(conversation)) return;
  const id = conversation.conversation_id;

  const welcome = readWelcome(settings.welcome);
  if (!welcome.ok) throw new Error(`The welcome message can't be read: ${textOfProblems([welcome.problem])}`);
  const text = welcome.render({ user, channel, conversation, bot: { name: settings.botName } });
  if (!text) return log.info(`The welcome message says nothing for conversation ${id}: no greeting.`);

  const isSecond = !(await isFirstTry(db, `greeted:${id}`, { topic: channel.name }));
  if (isSecond && (await account.hasMessage(id, isGreeting))) return;
  const sent = await account.send(id, messageOf(text, settings));
  if (sent.ok) log.info(`Greeted conversation ${id} in the topic ${channel.name}.`);
  else log.error(`Conversation ${id} takes no greeting (${sent.status}).`);
}
