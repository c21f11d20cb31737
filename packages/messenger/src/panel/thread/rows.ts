import type { MessagePart, MessengerMessage } from "@parley/contract";
import type { OutgoingMessage, Thread } from "../model/panel-model.ts";
import { isSameDay } from "../texts/format.ts";

/** Messages of one author that follow each other within this time form a group. @units milliseconds */
const GROUP_MS = 5 * 60_000;

/** A row of the thread: a message with the separators before it. */
export type ThreadRow = {
  readonly key: string;
  /** The first row of its day. */
  readonly isDayStart: boolean;
  /** The first message of others that the visitor had not read when the thread was opened. */
  readonly isNewStart: boolean;
  readonly isGroupStart: boolean;
  readonly isGroupEnd: boolean;
  /** Absent for the welcome message of the topic, which is above the first message. */
  readonly time: string | undefined;
} & (
  | { readonly kind: "message"; readonly message: MessengerMessage; readonly isAnswered: boolean }
  | { readonly kind: "outgoing"; readonly outgoing: OutgoingMessage }
  | { readonly kind: "welcome"; readonly parts: readonly MessagePart[] }
);

export const isOwn = (message: MessengerMessage): boolean => message.actor.type === "user";
export const isSystem = ({ actor, message_type }: MessengerMessage): boolean =>
  actor.type === "system" || message_type === "system";

/** -> id of the message that the message of a row answers */
export const answeredIdOf = (row: ThreadRow): string | undefined => {
  if (row.kind === "welcome") return undefined;
  return (row.kind === "message" ? row.message : row.outgoing).in_reply_to?.message_id;
};

/** An agent who wrote within this time before the visitor's last message is taking part. @units milliseconds */
const AGENT_PRESENT_MS = 3_600_000;

/** Whether an agent takes part in the conversation at its end, also outside of the business hours. */
export const isAgentPresent = (messages: readonly MessengerMessage[]): boolean => {
  const agent = messages.findLast(({ actor }) => actor.type === "agent");
  const own = messages.findLast(isOwn);
  if (!agent || !own) return agent !== undefined;
  return Date.parse(own.created_time) - Date.parse(agent.created_time) < AGENT_PRESENT_MS;
};

/** Equal for messages of the same author. */
const authorKey = (message: MessengerMessage): string =>
  isSystem(message) ? message.id : isOwn(message) ? "own" : JSON.stringify(message.actor);

type Entry = { readonly row: ThreadRow; readonly author: string };

const isSameGroup = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.author === other.author &&
  one.row.time !== undefined &&
  other.row.time !== undefined &&
  !other.row.isDayStart &&
  !other.row.isNewStart &&
  Date.parse(other.row.time) - Date.parse(one.row.time) < GROUP_MS;

/** -> one row for each message, the oldest first @shape welcome: parts of the topic's welcome message */
export const threadRowsOf = (
  { messages, outgoing, hasOlder, isLoading, readBefore }: Thread,
  welcome: readonly MessagePart[],
): readonly ThreadRow[] => {
  const entries: Entry[] = [];
  const edges = { isNewStart: false, isGroupStart: true, isGroupEnd: true };
  if (!hasOlder && !isLoading && welcome.length > 0)
    entries.push({
      row: { ...edges, key: "welcome", isDayStart: false, time: undefined, kind: "welcome", parts: welcome },
      author: "welcome",
    });
  const lastOwn = outgoing.length > 0 ? messages.length : messages.findLastIndex(isOwn);
  let isNewPossible = readBefore !== undefined && messages.some(({ id }) => id === readBefore);
  let hasReadMessage = false;
  let lastTime: string | undefined;
  const isDayStart = (time: string): boolean => {
    const isFirst = lastTime === undefined || !isSameDay(lastTime, time);
    lastTime = time;
    return isFirst;
  };
  for (const [index, message] of messages.entries()) {
    const isNewStart = isNewPossible && hasReadMessage && !isOwn(message);
    if (isNewStart || (hasReadMessage && isOwn(message))) isNewPossible = false;
    hasReadMessage ||= message.id === readBefore;
    const time = message.created_time;
    const isAnswered = index < lastOwn;
    const row = { ...edges, key: message.id, isDayStart: isDayStart(time), isNewStart, time, message, isAnswered };
    entries.push({ row: { ...row, kind: "message" }, author: authorKey(message) });
  }
  for (const each of outgoing) {
    const time = each.created_time;
    const row = { ...edges, key: each.id, isDayStart: isDayStart(time), time, outgoing: each };
    entries.push({ row: { ...row, kind: "outgoing" }, author: "own" });
  }
  return entries.map((entry, index) => ({
    ...entry.row,
    isGroupStart: !isSameGroup(entries[index - 1], entry),
    isGroupEnd: !isSameGroup(entry, entries[index + 1]),
  }));
};
