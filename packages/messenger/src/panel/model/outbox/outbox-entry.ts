import type { MessagePart } from "@parley/contract";
import type { FailureName } from "../../texts/failure-texts.ts";
import type { OutgoingMessage, ThreadKey } from "../panel-model.ts";

/**
 * A message that the service has not confirmed, as the browser keeps it.
 * States: waiting → sending → confirmed (removed); sending → waiting after a temporary failure; sending → failed; failed → waiting by the visitor.
 */
export interface OutboxEntry {
  /** Also the idempotency key. */
  readonly id: string;
  readonly generation: string;
  /** The tab that sends it. */
  readonly tab: string;
  /** Entries are sent in ascending order. */
  readonly order: number;
  readonly threadKey: ThreadKey;
  readonly created_time: string;
  readonly message_parts: readonly MessagePart[];
  readonly in_reply_to?: { readonly message_id: string };
  /** Of the button that the visitor pressed. */
  readonly payload?: string;
  /** Begins a conversation even if the topic has one that takes messages. */
  readonly isAnew?: boolean;
  /** The file that is to be uploaded first. Its content is not kept when the page is left. */
  readonly file?: { readonly name: string; readonly bytes: number; readonly isImage: boolean };
  /** Properties of the conversation that it begins, as they were when it was first sent: the idempotency key belongs to the whole request. */
  readonly properties?: Readonly<Record<string, string>>;
  /** When it was first sent: its outcome may be unknown. @units epoch milliseconds */
  readonly firstSentAt?: number;
  readonly failure?: FailureName;
}

/**
 * Time within which a message whose outcome is unknown is sent again: the service remembers the key for a day. @units milliseconds
 */
const RESEND_WITHIN_MS = 20 * 3_600_000;

/** Whether the entry may have arrived without the service knowing its key any more. */
export const isOutcomeLost = ({ firstSentAt }: OutboxEntry, now: number): boolean =>
  firstSentAt !== undefined && now - firstSentAt > RESEND_WITHIN_MS;

/** Whether the entry is kept for the message alone: the content of its file exists in the page that has chosen it. */
export const needsFile = ({ file, message_parts }: OutboxEntry): boolean =>
  file !== undefined && message_parts.length === 0;

/** -> the entry that is sent next */
export const nextEntry = (entries: readonly OutboxEntry[]): OutboxEntry | undefined =>
  entries
    .filter(({ failure }) => failure === undefined)
    .reduce<OutboxEntry | undefined>((first, each) => (first && first.order <= each.order ? first : each), undefined);

/** An entry as the display shows it. @shape upload: its progress in this page; isRefused: whether its file can't be sent */
export const outgoingOf = (
  entry: OutboxEntry,
  sendingId: string | undefined,
  upload: { readonly sentBytes: number; readonly previewUrl?: string } | undefined,
  isRefused: boolean,
): OutgoingMessage => ({
  id: entry.id,
  created_time: entry.created_time,
  message_parts: entry.message_parts,
  ...(entry.in_reply_to && { in_reply_to: entry.in_reply_to }),
  ...(entry.file && { upload: { id: entry.id, sentBytes: 0, ...entry.file, ...upload } }),
  ...(entry.failure !== undefined
    ? { state: "failed", failure: entry.failure, ...(isRefused && { isFinal: true }) }
    : { state: sendingId === undefined ? "waiting" : entry.id === sendingId ? "sending" : "queued" }),
});
