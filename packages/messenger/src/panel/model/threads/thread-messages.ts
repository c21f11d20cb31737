import type { MessengerMessage } from "@parley/contract";
import type { Thread } from "../panel-model.ts";

type ThreadMessages = Pick<Thread, "messages" | "hasOlder">;
type Messages = readonly MessengerMessage[];

/** A page as `listMessengerMessages` returns it. */
interface MessagePage {
  readonly messages: Messages;
  readonly has_older: boolean;
}

const unknownIn = (known: Messages, added: Messages): Messages => {
  const ids = new Set(known.map(({ id }) => id));
  return added.filter(({ id }) => !ids.has(id));
};

/**
 * Adds messages that arrived by events or as replies. Events arrive in the order of the conversation; only the reply to an own message can come
 * before the events of earlier messages.
 */
export const withArrived = (messages: Messages, arrived: Messages): Messages => {
  const added = unknownIn(messages, arrived);
  if (added.length === 0) return messages;
  const all = [...messages];
  for (const message of added) {
    let index = all.length;
    while (index > 0 && (all[index - 1]?.created_time ?? "") > message.created_time) index -= 1;
    all.splice(index, 0, message);
  }
  return all;
};

/** Adds the page before the first message. */
export const withOlderPage = ({ messages }: ThreadMessages, page: MessagePage): ThreadMessages => ({
  messages: [...unknownIn(messages, page.messages), ...messages],
  hasOlder: page.has_older,
});

/**
 * Adds the page of the newest messages. Known messages before a gap are dropped, and read again when the visitor scrolls to them. Messages
 * that arrived while the page was being read stay.
 */
export const withNewestPage = ({ messages, hasOlder }: ThreadMessages, page: MessagePage): ThreadMessages => {
  const ids = new Set(page.messages.map(({ id }) => id));
  const overlap = messages.findIndex(({ id }) => ids.has(id));
  const [oldest] = page.messages;
  if (overlap === -1) {
    // The message before the page can have the time of the page's first message.
    const last = page.messages.at(-1);
    const newer = messages.filter(({ created_time }) => created_time >= (last?.created_time ?? ""));
    return { messages: withArrived(page.messages, newer), hasOlder: page.has_older };
  }
  // The page decides the order from its oldest message on.
  const older = messages.slice(0, overlap);
  const isJoined = messages[overlap]?.id === oldest?.id;
  const joined = isJoined ? [...older, ...page.messages] : page.messages;
  return {
    messages: withArrived(joined, messages.slice(overlap)),
    hasOlder: isJoined && older.length > 0 ? hasOlder : page.has_older,
  };
};

/** -> id of the last message before the unread ones; undefined if the messages do not reach so far back */
export const lastReadId = (messages: Messages, unreadCount: number): string | undefined => {
  let unread = unreadCount;
  let index = messages.length;
  while (unread > 0 && index > 0) {
    index -= 1;
    if (messages[index]?.actor.type !== "user") unread -= 1;
  }
  return unread === 0 ? messages[index - 1]?.id : undefined;
};
