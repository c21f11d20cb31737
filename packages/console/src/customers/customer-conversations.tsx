import type { InboxItem } from "@parley/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { StatusBadge } from "../conversation/status-badge.tsx";
import { formatDateTime, formatListTime } from "../i18n/format.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { createNames, useWorkspace } from "../workspace/workspace.ts";
import { customerConversationsQuery } from "./customer-queries.ts";
import styles from "./customer.module.css";
import { LoadFailure } from "./load-failure.tsx";
import { customerMessages as texts } from "./messages.ts";

const ConversationLine = ({ item, topic }: { readonly item: InboxItem; readonly topic: string }) => {
  const { conversation_id, number, status, preview, activity_time } = item;
  return (
    <li>
      <Link to="/conversations/$conversationId" params={{ conversationId: conversation_id }} className={styles.entry}>
        <span className={styles.entryHead}>
          <span className={styles.number}>#{number}</span>
          <StatusBadge status={status} />
          <time className={styles.time} dateTime={activity_time} title={formatDateTime(activity_time)}>
            {formatListTime(activity_time, Date.now())}
          </time>
        </span>
        <span className={styles.entryText}>
          {preview?.is_private === true && (
            <span className={styles.note}>
              <Icon name="note" /> {texts.privateNote}:{" "}
            </span>
          )}
          {preview?.text ?? topic}
        </span>
        {preview && <span className={styles.entryDetail}>{topic}</span>}
      </Link>
    </li>
  );
};

interface CustomerConversationsProps {
  readonly customerId: string;
  /** A conversation that is open beside the list, and isn't in it. */
  readonly exceptId?: string;
}

/** A customer's conversations within the agent's scope, the newest first. */
export const CustomerConversations = ({ customerId, exceptId }: CustomerConversationsProps) => {
  const names = createNames(useWorkspace());
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    customerConversationsQuery(customerId),
  );
  if (isPending) return <Spinner />;
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />;
  const items = data.pages
    .flatMap(({ conversations }) => conversations)
    .filter(({ conversation_id }) => conversation_id !== exceptId);
  if (items.length === 0 && !hasNextPage)
    return <p className={styles.none}>{exceptId === undefined ? texts.noConversations : texts.noOtherConversations}</p>;
  return (
    <>
      <ul className={styles.entries}>
        {items.map((item) => (
          <ConversationLine key={item.conversation_id} item={item} topic={names.topic(item.channel_id)} />
        ))}
      </ul>
      {error && <LoadFailure error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && !error && (
        <Button isSmall isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </>
  );
};
