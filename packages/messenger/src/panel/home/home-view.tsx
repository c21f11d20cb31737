/** @jsxImportSource preact */
import type { MessengerTopic } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { Avatar } from "../elements/avatar.tsx";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import type { PanelState } from "../model/panel-model.ts";
import { ConversationList } from "./conversation-list.tsx";

const NO_TOPICS: readonly never[] = [];

const TopicItem = ({ topic }: { readonly topic: MessengerTopic }) => {
  const { actions } = useDisplay();
  const name = visibleName(topic.name);
  return (
    <li>
      <button type="button" class="item" data-topic={topic.id} onClick={() => actions.openTopic(topic.id)}>
        <Avatar name={name} url={topic.icon.url} isLarge />
        <span class="itemText">
          <span class="itemTitle">
            <bdi>{name}</bdi>
          </span>
        </span>
        <Icon name="right" />
      </button>
    </li>
  );
};

/** The conversations so far, and the topics of new conversations. */
export const HomeView = ({ state }: { readonly state: PanelState }) => {
  const { texts, site, actions } = useDisplay();
  const { conversations, configuration, isBlocked, isKept, isUnsigned, visitor, preferences } = state;
  const topics = configuration?.topics ?? NO_TOPICS;
  const hasConversations = conversations.length > 0;
  return (
    <div class="home">
      {isBlocked && <p class="notice">{texts.blocked}</p>}
      {isUnsigned && <p class="notice">{visitor ? texts.signInEnded : texts.notSignedIn}</p>}
      {hasConversations && (
        <section aria-labelledby="conversations">
          <h2 id="conversations">{texts.conversations}</h2>
          <ConversationList conversations={conversations} topics={topics} />
        </section>
      )}
      {topics.length > 0 && !isBlocked && (
        <section aria-labelledby="topics">
          <h2 id="topics">{texts.newConversation}</h2>
          <ul class="items">
            {topics.map((topic) => (
              <TopicItem key={topic.id} topic={topic} />
            ))}
          </ul>
        </section>
      )}
      {topics.length === 0 && !hasConversations && <p class="centered">{texts.noTopics}</p>}
      {visitor && (
        <label class="setting">
          {texts.sound}
          <input
            type="checkbox"
            role="switch"
            checked={preferences.sound ?? site.hasSound}
            onChange={({ currentTarget }) => actions.setPreferences({ sound: currentTarget.checked })}
          />
        </label>
      )}
      {!isKept && visitor && <p class="detail">{texts.notKept}</p>}
    </div>
  );
};
