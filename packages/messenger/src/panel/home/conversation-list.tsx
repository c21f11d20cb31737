/** @jsxImportSource preact */
import type { MessengerConversation, MessengerTopic } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { authorOf } from "../elements/author.ts";
import { Avatar } from "../elements/avatar.tsx";
import { useDisplay } from "../elements/display.ts";
import { readableText } from "../parts/readable-text.ts";

interface ConversationItemProps {
  readonly conversation: MessengerConversation;
  readonly topic: MessengerTopic | undefined;
}

const PREVIEW_CHARACTERS_MAX = 160;

const ConversationItem = ({ conversation, topic }: ConversationItemProps) => {
  const display = useDisplay();
  const { texts, format, actions } = display;
  const { id, agent, last_message: last, unread_count: unread, status } = conversation;
  const other = authorOf(agent ?? { type: "bot" }, display);
  const title = visibleName(topic?.name ?? "") || (agent ? other.name : texts.conversation);
  const pictureUrl = agent ? other.pictureUrl : (topic?.icon.url ?? other.pictureUrl);
  const preview = last && readableText(last.message_parts, texts).slice(0, PREVIEW_CHARACTERS_MAX);
  return (
    <li>
      <button type="button" class="item" data-conversation={id} onClick={() => actions.openConversation(id)}>
        <Avatar name={agent ? other.name : title} url={pictureUrl} isLarge />
        <span class="itemText">
          <span class="itemTitle">
            <bdi>{title}</bdi>
            {last && <time dateTime={last.created_time}>{format.listTime(last.created_time)}</time>}
          </span>
          {last && (
            <span class={unread > 0 ? "preview unreadPreview" : "preview"}>
              <bdi>{texts.by(authorOf(last.actor, display).name, "")}</bdi>
              <bdi class="previewText">{preview}</bdi>
            </span>
          )}
          {status === "resolved" && <span class="detail">{texts.resolved}</span>}
        </span>
        {unread > 0 && (
          <span class="badge">
            <span aria-hidden="true">{format.number(unread)}</span>
            <span class="visuallyHidden">{texts.unread(unread)}</span>
          </span>
        )}
      </button>
    </li>
  );
};

interface ConversationListProps {
  readonly conversations: readonly MessengerConversation[];
  readonly topics: readonly MessengerTopic[];
}

/** The visitor's conversations with their last message, the newest first. */
export const ConversationList = ({ conversations, topics }: ConversationListProps) => (
  <ul class="items">
    {conversations.map((conversation) => (
      <ConversationItem
        key={conversation.id}
        conversation={conversation}
        topic={topics.find(({ id }) => id === conversation.topic_id)}
      />
    ))}
  </ul>
);
