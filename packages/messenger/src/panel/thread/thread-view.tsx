/** @jsxImportSource preact */
import { useCallback, useRef } from "preact/hooks";
import { Composer, type ComposerHandle } from "../composer/composer.tsx";
import { DropArea } from "../composer/drop-area.tsx";
import { useDisplay } from "../elements/display.ts";
import type { PanelState, Thread, ThreadKey } from "../model/panel-model.ts";
import type { Answer } from "../parts/choices.tsx";
import { EmailRequest } from "./email-request.tsx";
import { MessageList } from "./message-list.tsx";
import { Rating } from "./rating.tsx";
import { isAgentPresent, isOwn } from "./rows.ts";

interface ThreadViewProps {
  readonly threadKey: ThreadKey;
  readonly thread: Thread | undefined;
  readonly state: PanelState;
  /** Whether the visitor can see the messages. */
  readonly isSeen: boolean;
}

/** Why the visitor can't write, or `undefined`. A bot's restriction ends when an agent takes over. */
const closedReason = (
  thread: Thread,
  state: PanelState,
): "blocked" | "notSignedIn" | "ended" | "restricted" | undefined => {
  if (state.isBlocked) return "blocked";
  if (state.isUnsigned && !state.visitor) return "notSignedIn";
  const { conversation, messages } = thread;
  if (!conversation) return undefined;
  if (!conversation.is_latest) return "ended";
  const lastOfBot = messages.findLast(
    ({ actor, restrictResponse }) => actor.type === "bot" && restrictResponse !== undefined,
  );
  return lastOfBot?.restrictResponse === true && conversation.status !== "assigned" ? "restricted" : undefined;
};

const NO_PARTS: readonly never[] = [];

/** A conversation, or a topic whose conversation begins with the next message. */
export const ThreadView = ({ threadKey, thread, state, isSeen }: ThreadViewProps) => {
  const { texts, actions } = useDisplay();
  const composer = useRef<ComposerHandle>(null);
  const answer = useCallback(
    (inReplyTo: string): Answer => {
      // The buttons of the answer disappear, and with them the focus.
      const focusField = () => composer.current?.focus();
      return {
        text(content, payload) {
          const message = { parts: [{ text: { content } }], inReplyTo };
          actions.send(threadKey, { ...message, ...(payload !== undefined && { payload }) });
          focusField();
        },
        files(files) {
          actions.attach(threadKey, files, inReplyTo);
          focusField();
        },
      };
    },
    [actions, threadKey],
  );
  const loading = (
    <p class="centered" role="status">
      {texts.loading}
    </p>
  );
  if (!thread) return loading;
  const { conversation, messages, topicId } = thread;
  const reason = closedReason(thread, state);
  const isResolved = conversation?.status === "resolved" && conversation.is_latest;
  const { configuration, visitor } = state;
  const asksForEmail =
    configuration?.is_open === false && visitor !== undefined && messages.some(isOwn) && !isAgentPresent(messages);
  const welcome = configuration?.topics.find(({ id }) => id === topicId)?.welcome_message?.message_parts ?? NO_PARTS;
  const beginAnew = (
    <button type="button" class="secondary" onClick={() => actions.beginAnew(topicId)}>
      {texts.beginAnew}
    </button>
  );
  return (
    <DropArea isEnabled={reason === undefined} onFiles={(files) => actions.attach(threadKey, files)}>
      {thread.isLoading && messages.length === 0 ? (
        loading
      ) : (
        <MessageList
          threadKey={threadKey}
          thread={thread}
          welcome={welcome}
          isSeen={isSeen}
          isAnswerable={reason === undefined}
          answer={answer}
        >
          {conversation && !state.isBlocked && <Rating key={conversation.interaction_id} conversation={conversation} />}
          {asksForEmail && !isResolved && reason === undefined && (
            <EmailRequest hasEmail={visitor.email !== undefined} />
          )}
          {isResolved && reason === undefined && (
            <div class="resolution">
              <p>{texts.reopens}</p>
              {beginAnew}
            </div>
          )}
        </MessageList>
      )}
      {state.connection === "lost" && (
        <p class="notice" role="status">
          {texts.connectionLost}
        </p>
      )}
      {state.isUnsigned && reason === undefined && (
        <p class="notice" role="status">
          {texts.signInEnded}
        </p>
      )}
      {reason === undefined ? (
        <Composer
          ref={composer}
          threadKey={threadKey}
          thread={thread}
          recentEmojis={state.preferences.recentEmojis}
          isVisible={state.isOpen}
          isFocused={state.isFocused}
        />
      ) : (
        <div class="ending">
          <p>{texts[reason]}</p>
          {reason !== "blocked" && reason !== "notSignedIn" && beginAnew}
        </div>
      )}
    </DropArea>
  );
};
