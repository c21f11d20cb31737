import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { client } from "../session/session.ts";
import { useStore } from "../state/store.ts";
import { Icon } from "../ui/icon.tsx";
import { threadMessages as texts } from "./messages.ts";
import { messagePreview } from "./parts/preview.ts";
import { useThreadContext } from "./thread-context.ts";
import styles from "./thread.module.css";

const PREVIEW_CHARACTERS = 120;

/** The message that a message answers. A press shows it. */
export const ReplyReference = ({ messageId }: { readonly messageId: string }) => {
  const { item, thread, authorOf, showMessage } = useThreadContext();
  const conversation_id = item.conversation_id;
  const known = useStore(thread).messages.find(({ id }) => id === messageId);
  const { data: read } = useQuery({
    queryKey: ["message", conversation_id, messageId],
    queryFn: async ({ signal }) => {
      const query = { around: messageId, limit: 1 };
      const { messages } = await client.threads.listThread({ params: { conversation_id }, query, signal });
      return messages.find(({ id }) => id === messageId) ?? null;
    },
    enabled: known === undefined,
  });
  const message = known ?? read ?? undefined;
  return (
    <Button className={styles.reference ?? ""} onPress={() => showMessage(messageId)}>
      <Icon name="reply" />
      <span className={styles.referenceText}>
        {texts.inReplyTo}{" "}
        {message
          ? `${authorOf(message).name}: ${messagePreview(message.message_parts, PREVIEW_CHARACTERS)}`
          : texts.anEarlierMessage}
      </span>
      <span className="visually-hidden">. {texts.toMessage}</span>
    </Button>
  );
};
