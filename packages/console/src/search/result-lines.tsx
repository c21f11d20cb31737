import type { SearchResults } from "@parley/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../conversation/status-badge.tsx";
import { formatDateTime, formatListTime } from "../i18n/format.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";
import { customerName, type Names } from "../workspace/workspace.ts";
import { Highlight } from "./highlight.tsx";
import { searchMessages as texts } from "./messages.ts";
import styles from "./search.module.css";

export type FoundMessage = NonNullable<SearchResults["messages"]>[number];
export type FoundUser = NonNullable<SearchResults["users"]>[number];
export type FoundConversation = NonNullable<SearchResults["conversations"]>[number];

const Time = ({ time }: { readonly time: string }) => (
  <time className={styles.time} dateTime={time} title={formatDateTime(time)}>
    {formatListTime(time, Date.now())}
  </time>
);

const Head = ({ children, time }: { readonly children: ReactNode; readonly time: string }) => (
  <span className={styles.head}>
    {children}
    <Time time={time} />
  </span>
);

type CustomerNames = ReadonlyMap<string, string>;

const authorOf = (
  { actor_type, actor_id = "" }: FoundMessage["message"],
  names: Names,
  customers: CustomerNames,
): string => {
  if (actor_type === "agent") return names.agent(actor_id);
  if (actor_type === "user") return customers.get(actor_id) ?? texts.customer;
  return { bot: texts.bot, system: texts.system }[actor_type];
};

interface LineProps<T> {
  readonly result: T;
  readonly names: Names;
  readonly onOpen: () => void;
}

interface MessageLineProps extends LineProps<FoundMessage> {
  /** Names of customers by id. */
  readonly customers: CustomerNames;
}

export const MessageLine = ({ result, names, customers, onOpen }: MessageLineProps) => {
  const { message, highlight } = result;
  const { id, conversation_id, freshchat_conversation_id, channel_id, created_time, message_type } = message;
  const isPrivate = message_type === "private";
  return (
    <Link
      data-result
      to="/conversations/$conversationId"
      params={{ conversationId: conversation_id }}
      search={{ message: id }}
      className={styles.result}
      data-private={isPrivate}
      onClick={onOpen}
    >
      <Head time={created_time}>
        <span className={styles.name}>{authorOf(message, names, customers)}</span>
        {isPrivate && (
          <span className={styles.note}>
            <Icon name="note" />
            {texts.privateNote}
          </span>
        )}
        <span className={styles.detail}>
          #{freshchat_conversation_id} · {names.topic(channel_id)}
        </span>
      </Head>
      <Highlight pieces={highlight} />
    </Link>
  );
};

export const UserLine = ({ result: { user, highlight }, onOpen }: Omit<LineProps<FoundUser>, "names">) => {
  const name = customerName(user);
  const found = highlight.map(({ text }) => text).join("");
  return (
    <Link
      data-result
      to="/customers/$customerId"
      params={{ customerId: user.id }}
      className={styles.result}
      onClick={onOpen}
    >
      <span className={styles.person}>
        <PersonAvatar name={name} url={user.avatar?.url} of={{ user_id: user.id }} isSmall />
        {found.startsWith(name) ? <Highlight pieces={highlight} /> : <span className={styles.name}>{name}</span>}
        <Time time={user.created_time} />
      </span>
      {!found.startsWith(name) && <Highlight pieces={highlight} />}
    </Link>
  );
};

export const ConversationLine = ({ result, names, onOpen }: LineProps<FoundConversation>) => {
  const { conversation, highlight } = result;
  const { conversation_id, freshchat_conversation_id, status, channel_id, created_time } = conversation;
  return (
    <Link
      data-result
      to="/conversations/$conversationId"
      params={{ conversationId: conversation_id }}
      className={styles.result}
      onClick={onOpen}
    >
      <Head time={created_time}>
        <span className={styles.name}>{texts.number(freshchat_conversation_id)}</span>
        <StatusBadge status={status} />
        <span className={styles.detail}>{names.topic(channel_id)}</span>
      </Head>
      <Highlight pieces={highlight} />
    </Link>
  );
};
