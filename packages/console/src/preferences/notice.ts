import type { ListedCustomer, Message } from "@parley/contract";
import type { LiveItem } from "../live/live-messages.ts";
import type { NoticeLevel } from "./notification-choice.ts";

/** A message of a customer that the agent is notified of. */
export interface MessageNotification {
  readonly messageId: string;
  readonly conversationId: string;
  readonly number: string;
  readonly customer: Partial<ListedCustomer>;
  /** Beginning of the text; empty for a message without text. */
  readonly text: string;
}

/** @units characters */
const SHOWN_TEXT = 140;

const textOf = ({ message_parts }: Message): string => {
  const text = message_parts.map((part) => part.text?.content ?? "").find((content) => content.trim() !== "") ?? "";
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN_TEXT ? line : `${line.slice(0, SHOWN_TEXT - 1)}…`;
};

const isChosen = (level: NoticeLevel, agentId: string, assigned: string | undefined): boolean => {
  switch (level) {
    case "none":
      return false;
    case "mine":
      return assigned === agentId;
    case "unassigned":
      return assigned === agentId || assigned === undefined || assigned === "";
    case "all":
      return true;
  }
};

/**
 * -> what an item of the stream notifies an agent of. Only messages of customers notify: private notes, the agents' own messages, bots and
 * the system never do.
 */
export const noticeOf = (item: LiveItem, level: NoticeLevel, agentId: string): MessageNotification | undefined => {
  if (item.event !== "message_create") return undefined;
  const { message: conversation, associations } = item.data.data;
  const message = conversation?.messages?.at(-1);
  if (!conversation || message?.actor_type !== "user" || message.message_type !== "normal") return undefined;
  if (!isChosen(level, agentId, conversation.assigned_agent_id)) return undefined;
  const { first_name, last_name, email, phone } = associations.user ?? {};
  return {
    messageId: message.id,
    conversationId: conversation.conversation_id,
    number: conversation.freshchat_conversation_id,
    customer: { first_name, last_name, email, phone },
    text: textOf(message),
  };
};

/** Notices of one conversation. @shape latest: the newest notice; count: the number of notices */
interface NoticeGroup {
  readonly latest: MessageNotification;
  readonly count: number;
}

/** -> one group a conversation, in the order of their newest notices */
export const groupNotices = (notices: readonly MessageNotification[]): readonly NoticeGroup[] => {
  const groups = new Map<string, NoticeGroup>();
  for (const latest of notices) {
    const { conversationId } = latest;
    const count = (groups.get(conversationId)?.count ?? 0) + 1;
    groups.delete(conversationId);
    groups.set(conversationId, { latest, count });
  }
  return [...groups.values()];
};
