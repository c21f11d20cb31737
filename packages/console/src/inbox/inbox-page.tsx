import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useEffect } from "../state/effects.ts";
import { ConversationPane } from "../thread/conversation-pane.tsx";
import { followOpenConversations } from "./apply-events.ts";
import { leaveConversation } from "./cached-lists.ts";
import styles from "./inbox-page.module.css";
import { ListPane } from "./list-pane.tsx";
import { inboxMessages as texts } from "./messages.ts";
import { NoConversation } from "./no-conversation.tsx";
import { openConversation } from "./open-conversation.ts";
import { useInboxAddress } from "./use-inbox-address.ts";
import { focusStart } from "../ui/focus-keeper.ts";
import { useMedia } from "../ui/use-media.ts";
import { useViewCommands } from "./use-view-commands.ts";
import { ViewsColumn, ViewsMenu } from "./views-pane.tsx";

const KEY = "parley-inbox-views";
/** Enough space for a column of views beside the list and a conversation. */
const WIDE = "(min-width: 78rem)";

/** Whether the views have a column, where there is enough space for it. */
const useViewsColumn = () => {
  const isWide = useMedia(WIDE);
  const [isWanted, setWanted] = useState(() => localStorage.getItem(KEY) !== "hidden");
  const want = (next: boolean): void => {
    if (next) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "hidden");
    setWanted(next);
  };
  return { isWide, isShown: isWide && isWanted, show: () => want(true), hide: () => want(false) };
};

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
  const column = useViewsColumn();
  const { conversationId } = address;
  useViewCommands(address);
  useEffect(() => followOpenConversations(queries), [queries]);
  useEffect(() => {
    openConversation.set(conversationId);
    return () => {
      openConversation.set(undefined);
      if (conversationId !== undefined) leaveConversation(queries, conversationId);
    };
  }, [queries, conversationId]);

  useFocusAfterClosing(conversationId);
  return (
    <div className={styles.inbox} data-open={conversationId !== undefined}>
      {column.isShown && <ViewsColumn address={address} onHide={column.hide} />}
      <section className={styles.list} aria-label={texts.list}>
        <ListPane
          address={address}
          viewsButton={
            !column.isShown && <ViewsMenu address={address} onShowColumn={column.isWide ? column.show : undefined} />
          }
        />
      </section>
      <div className={styles.conversation}>
        {/* In a narrow window the heading of the list is hidden. */}
        {conversationId !== undefined && <h1 className={styles.narrowHeading}>{texts.conversation}</h1>}
        {conversationId === undefined ? (
          <NoConversation />
        ) : (
          <ConversationPane key={conversationId} conversationId={conversationId} onBack={address.close} />
        )}
      </div>
    </div>
  );
};
