import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { ConversationPane } from "../thread/conversation-pane.tsx";
import { followOpenConversations } from "./apply-events.ts";
import styles from "./inbox-page.module.css";
import { ListPane } from "./list-pane.tsx";
import { inboxMessages as texts } from "./messages.ts";
import { NoConversation } from "./no-conversation.tsx";
import { openConversation } from "./open-conversation.ts";
import { requestReread } from "./rereading.ts";
import { useColumns } from "./use-columns.ts";
import { useInboxAddress } from "./use-inbox-address.ts";
import { focusStart } from "../ui/focus-keeper.ts";
import { useViewCommands } from "./use-view-commands.ts";
import { ViewsColumn, ViewsMenu } from "./views-pane.tsx";

/** When the conversation is closed, the keyboard continues at its row, unless the focus is outside of the conversation. */
const useFocusAfterClosing = (conversationId: string | undefined): void => {
  const former = useRef(conversationId);
  useEffect(() => {
    const isClosed = former.current !== undefined && conversationId === undefined;
    former.current = conversationId;
    if (isClosed && document.activeElement === document.body) focusStart();
  }, [conversationId]);
};

/** The views, the list of one view, and the conversation that is open. A narrow window shows the list or the conversation. */
export const InboxPage = () => {
  const queries = useQueryClient();
  const address = useInboxAddress();
  const { conversationId } = address;
  const page = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLElement>(null);
  const { views, details } = useColumns(page, list, conversationId);
  useViewCommands(address);
  useEffect(() => followOpenConversations(queries), [queries]);
  useEffect(() => {
    openConversation.set(conversationId);
    return () => {
      openConversation.set(undefined);
      // It no longer stays in a list that it has left while it was open.
      if (conversationId !== undefined) requestReread(queries, [conversationId]);
    };
  }, [queries, conversationId]);

  useFocusAfterClosing(conversationId);
  return (
    <div ref={page} className={styles.inbox} data-open={conversationId !== undefined}>
      {views.isColumn && <ViewsColumn address={address} onHide={views.hide} />}
      <section ref={list} className={styles.list} aria-label={texts.list}>
        <ListPane
          address={address}
          viewsButton={!views.isColumn && <ViewsMenu address={address} onShowColumn={views.show} />}
        />
      </section>
      <div className={styles.conversation}>
        {/* In a narrow window the heading of the list is hidden. */}
        {conversationId !== undefined && <h1 className={styles.narrowHeading}>{texts.conversation}</h1>}
        {conversationId === undefined ? (
          <NoConversation />
        ) : (
          <ConversationPane
            key={conversationId}
            conversationId={conversationId}
            details={details}
            onBack={address.close}
          />
        )}
      </div>
    </div>
  );
};
