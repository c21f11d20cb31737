import { urlOf, type Message, type MessengerActor, type MessengerMessage } from "@parley/contract";
import { unsafeUrlReason } from "../../http/safe-url.ts";
import type { Directory } from "../../messaging/directory/directory.ts";

/** The members that decide whether a visitor sees a message. */
type ShownMembers = Pick<Message, "message_type" | "botsPrivateNote" | "meta_data">;

/** Members of `meta_data` that mark the system messages about a resolution and a reopening. */
const STATUS_MESSAGES = ["isResolved", "isReopen"] as const;

/**
 * Whether a visitor sees a stored message: normal messages, and the system messages about a resolution and a reopening. Private notes and all other
 * system messages, such as those about assignments, are for agents only.
 */
export const isShownToVisitor = ({ message_type, botsPrivateNote, meta_data }: ShownMembers): boolean => {
  if (botsPrivateNote === true) return false;
  if (message_type === "system") return STATUS_MESSAGES.some((name) => meta_data?.[name] === true);
  return message_type === "normal";
};

/** Whether a browser can load the picture of a person from this address: an absolute address without code in it. */
const isPictureAddress = (url: string): boolean =>
  urlOf(url) !== undefined && unsafeUrlReason(url, "image") === undefined;

/** What visitors see of messages and agents. It is the only code that makes these objects. */
export interface MessengerShapes {
  /** An agent: the first name and the picture. Without them for an agent who was deleted. */
  agent(accountId: number, agentId: string): Promise<MessengerActor>;
  /** A stored message. -> undefined for a message that visitors don't see */
  message(accountId: number, message: Message): Promise<MessengerMessage | undefined>;
  /** Stored messages in their order, without those that visitors don't see. */
  messages(accountId: number, messages: readonly Message[]): Promise<MessengerMessage[]>;
}

/** The visible members of a message, listed one by one: a member that is added to messages later stays private. */
const shown = (message: Message, actor: MessengerActor): MessengerMessage => ({
  id: message.id,
  conversation_id: message.conversation_id,
  created_time: message.created_time,
  actor,
  message_type: message.message_type === "system" ? "system" : "normal",
  message_parts: message.message_parts,
  ...(message.reply_parts && { reply_parts: message.reply_parts }),
  ...(message.in_reply_to && { in_reply_to: { message_id: message.in_reply_to.message_id } }),
  ...(message.restrictResponse === true && { restrictResponse: true }),
});

/** The visitor's own message. */
export const ownMessage = (message: Message): MessengerMessage => shown(message, { type: "user" });

export const createMessengerShapes = ({
  directory,
}: {
  readonly directory: Pick<Directory, "agent">;
}): MessengerShapes => {
  const agent = async (accountId: number, agentId: string): Promise<MessengerActor> => {
    const { first_name, avatar_url } = (await directory.agent(accountId, agentId)) ?? {};
    return {
      type: "agent",
      ...(first_name && { first_name }),
      ...(avatar_url && isPictureAddress(avatar_url) && { avatar_url }),
    };
  };
  const shapeOf = async (accountId: number, message: Message): Promise<MessengerMessage | undefined> => {
    if (!isShownToVisitor(message)) return undefined;
    const { actor_type, actor_id } = message;
    return shown(
      message,
      actor_type === "agent" && actor_id !== undefined ? await agent(accountId, actor_id) : { type: actor_type },
    );
  };
  return {
    agent,
    message: shapeOf,
    messages: async (accountId, messages) =>
      (await Promise.all(messages.map((message) => shapeOf(accountId, message)))).filter((each) => each !== undefined),
  };
};
