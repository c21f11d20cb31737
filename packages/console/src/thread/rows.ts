import type { Message } from "@parley/contract";
import { isSameDay } from "../i18n/format.ts";
import type { PendingMessage } from "./pending.ts";

/** Messages of one author that follow each other within this time form a group. @units milliseconds */
const GROUP_MS = 5 * 60_000;

/** Separators between a row and the row before it. */
export interface SeparatorsBefore {
  /** The row is the first one of its day. */
  readonly day: boolean;
  /** A new interaction begins: the conversation had been resolved before. */
  readonly interaction: boolean;
  /** The first message of the customer that the agent had not read when the conversation was opened. */
  readonly unread: boolean;
}

export type ThreadRow = {
  /** Stays the same when a pending message is confirmed. */
  readonly key: string;
  readonly separators: SeparatorsBefore;
  /** Whether the author's name is shown. */
  readonly isFirstOfGroup: boolean;
} & ({ readonly message: Message } | { readonly pending: PendingMessage });

interface RowsInput {
  readonly messages: readonly Message[];
  readonly pending: readonly PendingMessage[];
  /** Keys of rows whose messages were pending, by message id. */
  readonly keys: ReadonlyMap<string, string>;
  /** Id of the first unread message. */
  readonly unreadFrom: string | undefined;
}

export const isSystemMessage = ({ actor_type, message_type }: Pick<Message, "actor_type" | "message_type">): boolean =>
  actor_type === "system" || message_type === "system";

type Grouped = Pick<Message, "actor_type" | "actor_id" | "message_type" | "created_time">;

const isSameGroup = (before: Grouped | undefined, message: Grouped): boolean =>
  before !== undefined &&
  !isSystemMessage(before) &&
  before.actor_type === message.actor_type &&
  before.actor_id === message.actor_id &&
  before.message_type === message.message_type &&
  Date.parse(message.created_time) - Date.parse(before.created_time) < GROUP_MS;

const NO_SEPARATORS: SeparatorsBefore = { day: false, interaction: false, unread: false };

/** -> one row for each message, with the separators before it */
export const threadRowsOf = ({ messages, pending, keys, unreadFrom }: RowsInput): readonly ThreadRow[] => {
  const rows: ThreadRow[] = [];
  let before: Message | undefined;
  for (const message of messages) {
    const separators: SeparatorsBefore = {
      day: before === undefined || !isSameDay(before.created_time, message.created_time),
      interaction: before !== undefined && before.interaction_id !== message.interaction_id,
      unread: message.id === unreadFrom,
    };
    const isSeparated = separators.day || separators.interaction || separators.unread;
    rows.push({
      key: keys.get(message.id) ?? message.id,
      message,
      separators,
      isFirstOfGroup: isSeparated || !isSameGroup(before, message),
    });
    before = message;
  }
  let last: Grouped | undefined = before;
  for (const each of pending) {
    if (each.confirmedId !== undefined) continue;
    const { actor_type, actor_id, message_type = "normal" } = each.message;
    const grouped: Grouped = {
      actor_type,
      message_type,
      created_time: each.created_time,
      ...(actor_id !== undefined && { actor_id }),
    };
    const separators =
      last && !isSameDay(last.created_time, each.created_time) ? { ...NO_SEPARATORS, day: true } : NO_SEPARATORS;
    rows.push({
      key: each.key,
      pending: each,
      separators,
      isFirstOfGroup: separators.day || !isSameGroup(last, grouped),
    });
    last = grouped;
  }
  return rows;
};

/** -> id of the first of the customer's last `unread` messages; undefined if it is not among these messages */
export const firstUnread = (messages: readonly Message[], unread: number): string | undefined => {
  if (unread === 0) return undefined;
  return messages.filter(({ actor_type }) => actor_type === "user").at(-unread)?.id;
};
