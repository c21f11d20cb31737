import type { Message } from "@parley/contract";
import { formatDateTime, formatTimeOfDay } from "../i18n/format.ts";
import { Icon } from "../ui/icon.tsx";
import { threadMessages as texts } from "./messages.ts";
import paneStyles from "./pane.module.css";
import { isSystemMessage } from "./rows.ts";
import styles from "./thread.module.css";
import { useCustomerPresence } from "./use-presence.ts";

/** Whether the customer has the messenger open. */
export const CustomerState = ({ conversationId }: { readonly conversationId: string }) => {
  const presence = useCustomerPresence(conversationId);
  if (!presence) return undefined;
  const isOnline = presence.state !== "gone";
  return (
    <span className={paneStyles.customerState} data-online={isOnline}>
      {isOnline ? texts.customerOnline : texts.customerGone}
    </span>
  );
};

/** Below the messages: that the customer writes. The line keeps its place, so that nothing moves when it is filled. */
export const CustomerTyping = ({
  conversationId,
  name,
}: {
  readonly conversationId: string;
  readonly name: string;
}) => {
  const presence = useCustomerPresence(conversationId);
  if (!presence) return undefined;
  return (
    <div role="status" className={styles.customerTyping}>
      {presence.state === "typing" && (
        <>
          <Icon name="edit" />
          {texts.customerTyping(name)}
        </>
      )}
    </div>
  );
};

/** The last message that the customer has seen. */
export interface SeenMessage {
  readonly id: string;
  /** When the customer read it, or a later message. */
  readonly time: string;
}

/** -> the last message to the customer up to the one that was read; undefined if it is not among the messages */
export const useSeenMessage = (conversationId: string, messages: readonly Message[]): SeenMessage | undefined => {
  const { read_message_id, read_time } = useCustomerPresence(conversationId) ?? {};
  if (read_message_id === undefined || read_time === undefined) return undefined;
  const end = messages.findLastIndex(({ id }) => id === read_message_id);
  const seen = messages
    .slice(0, end + 1)
    .findLast(
      (message) => message.actor_type !== "user" && message.message_type !== "private" && !isSystemMessage(message),
    );
  return seen && { id: seen.id, time: read_time };
};

export const SeenLine = ({ time }: { readonly time: string }) => (
  <p className={styles.seen}>
    <Icon name="check" />
    <time dateTime={time} title={formatDateTime(time)}>
      {texts.seen(formatTimeOfDay(time))}
    </time>
  </p>
);
