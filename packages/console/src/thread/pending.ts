import type { Message, NewMessage } from "@parley/contract";

/**
 * A message of this page that the service has not confirmed:
 * sending → confirmed | failed; failed → sending, by the agent. A confirmed one is no longer pending.
 */
export interface PendingMessage {
  /** Of this page; also the idempotency key of all attempts. */
  readonly key: string;
  readonly message: NewMessage;
  readonly created_time: string;
  /** Why it failed; absent while it is being sent. */
  readonly error?: string;
  /** The event of the message arrived before the response: the pending one is not shown beside it. */
  readonly confirmedId?: string;
}

const contentOf = ({ message_type = "normal", message_parts = [], actor_id = "" }: NewMessage | Message): string =>
  JSON.stringify([
    actor_id.toLowerCase(),
    message_type,
    // The service replaces the members of a file.
    message_parts.map((part) => (part.file ? { file: true } : part.image ? { image: true } : part)),
  ]);

/** Marks pending messages whose events arrived, each event at most one message. -> the same list without such messages */
export const withConfirmed = (
  pending: readonly PendingMessage[],
  arrived: readonly Message[],
): readonly PendingMessage[] => {
  if (pending.length === 0) return pending;
  let next = pending;
  for (const message of arrived) {
    if (message.actor_type !== "agent" || next.some(({ confirmedId }) => confirmedId === message.id)) continue;
    const content = contentOf(message);
    const index = next.findIndex(
      ({ confirmedId, error, ...waiting }) =>
        confirmedId === undefined && error === undefined && contentOf(waiting.message) === content,
    );
    const found = next[index];
    if (found) next = next.with(index, { ...found, confirmedId: message.id });
  }
  return next;
};
