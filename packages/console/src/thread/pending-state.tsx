import { activeComposer } from "../composer/composer-state.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { threadMessages as texts } from "./messages.ts";
import type { PendingMessage } from "./pending.ts";
import { discardPending, sendAgain } from "./send-message.ts";
import { useThreadContext } from "./thread-context.ts";
import styles from "./thread.module.css";

/** Below a message that is being sent or was not sent: its state, and what the agent can do. */
export const PendingState = ({ pending: { key, error, message } }: { readonly pending: PendingMessage }) => {
  const { item, thread } = useThreadContext();
  if (error === undefined)
    return (
      <p className={styles.sending}>
        <Icon name="clock" />
        {texts.sending}
      </p>
    );
  const { message_parts = [], message_type } = message;
  const text = message_parts.flatMap((part) => part.text?.content ?? []).join("\n");
  const edit = (): void => {
    const composer = activeComposer.get();
    if (!composer) return;
    composer.chooseMode(message_type === "private");
    composer.insertText(text, "end");
    composer.focus();
    discardPending(item.conversation_id, thread, key);
  };
  return (
    <div className={styles.failed} role="alert">
      <p>
        <Icon name="warning" /> {texts.notSent}: {error}
      </p>
      <div className={styles.failedActions}>
        <Button isSmall onPress={() => sendAgain(item.conversation_id, thread, key)}>
          {texts.sendAgain}
        </Button>
        {message_parts.every((part) => part.text) && (
          <Button isSmall variant="quiet" onPress={edit}>
            {texts.edit}
          </Button>
        )}
        <Button isSmall variant="quiet" onPress={() => discardPending(item.conversation_id, thread, key)}>
          {texts.discard}
        </Button>
      </div>
    </div>
  );
};
