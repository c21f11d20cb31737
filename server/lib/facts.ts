import type { Message } from "@parley/contract";
import { languageOf, type TemplateSubject } from "./template-view.ts";

/** The data that rules match. An absent member is unknown. */
export interface RuleFacts {
  /** The customer's text. */
  readonly words?: string | undefined;
  /** Name of the topic. */
  readonly topic?: string | undefined;
  /** The customer's properties. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Domain of the customer's e-mail address, in lower case. */
  readonly domain?: string | undefined;
  /** @shape as `languageOf` returns it */
  readonly language?: string | undefined;
}

/** The text of a customer's messages, line by line; undefined when they contain none. */
export const saidIn = (messages: readonly Pick<Message, "actor_type" | "message_parts">[]): string | undefined =>
  messages
    .filter(({ actor_type }) => actor_type === "user")
    .flatMap(({ message_parts }) => message_parts.flatMap(({ text }) => (text ? [text.content] : [])))
    .join("\n") || undefined;

export const factsOf = ({ user, channel }: TemplateSubject, words: string | undefined): RuleFacts => ({
  words,
  topic: channel?.name,
  properties: user?.properties,
  domain: /@([^@\s]+)$/.exec(user?.email?.trim().toLowerCase() ?? "")?.[1],
  language: languageOf({ user, channel }),
});
