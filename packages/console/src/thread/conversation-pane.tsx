import type { InboxItem } from "@parley/contract";
import { isProblemError } from "@parley/client/session";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useState } from "react";
import { EditorApps } from "../apps/editor-apps.tsx";
import { Composer } from "../composer/composer.tsx";
import { resetElements } from "../composer/composer-state.ts";
import { markConversation } from "../conversation/actions.ts";
import { conversationQuery } from "../conversation/conversation-query.ts";
import { requiredProperties } from "../conversation/resolve.ts";
import { useConversationCommands, type PickerName } from "../conversation/use-conversation-commands.ts";
import { useMarkRead } from "../conversation/use-mark-read.ts";
import { noteRecentPlace } from "../shortcuts/recent-places.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { showError } from "../ui/toast-store.ts";
import { customerName, useWorkspace } from "../workspace/workspace.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { ConversationHeader } from "./conversation-header.tsx";
import { CustomerTyping } from "./customer-state.tsx";
import { DetailsArea, type DetailsState } from "./details-area.tsx";
import { threadMessages as texts } from "./messages.ts";
import styles from "./pane.module.css";
import { sendMessage } from "./send-message.ts";
import type { Thread } from "./thread-store.ts";
import { ThreadView } from "./thread-view.tsx";
import { useReportedPresence } from "./use-presence.ts";
import { useThread, useUnreadFrom } from "./use-thread.ts";

const ResolveDialog = lazy(() => import("../conversation/resolve-dialog.tsx"));

interface ConversationPaneProps {
  readonly conversationId: string;
  readonly details: DetailsState;
  /** Returns to the list, in a narrow window. */
  readonly onBack: () => void;
}

interface OpenConversationProps extends Pick<ConversationPaneProps, "details" | "onBack"> {
  readonly item: InboxItem;
  readonly thread: Thread;
  readonly messageId: string | undefined;
}

const OpenConversation = ({ item, thread, messageId, details, onBack }: OpenConversationProps) => {
  const id = item.conversation_id;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { agent } = useWorkspace();
  const [picker, setPicker] = useState<PickerName>();
  const unreadFrom = useUnreadFrom(thread, item.unread);
  const keepUnread = useMarkRead(item);
  const onTyping = useReportedPresence(id);
  const isAsked = useStore(requiredProperties) !== undefined;
  const label = `${customerName(item.customer)} #${item.number}`;
  usePageTitle([label, texts.inbox]);
  useEffect(() => {
    noteRecentPlace({ kind: "conversation", id, label });
  }, [id, label]);
  useEffect(() => {
    resetElements();
    return () => requiredProperties.set(undefined);
  }, []);

  const onMarkUnread = (): void => {
    keepUnread();
    markConversation(queries, id, false).then(onBack, showError);
  };
  useConversationCommands(item, { onPick: setPicker, onMarkUnread, onBack, onToggleDetails: details.toggle });
  const onMessageShown = useCallback(
    () =>
      void navigate({
        to: "/conversations/$conversationId",
        params: { conversationId: id },
        search: ({ message: _shown, ...search }: { readonly message?: string }) => search,
        replace: true,
      }),
    [navigate, id],
  );

  return (
    <div className={styles.pane}>
      <div className={styles.conversation}>
        <ConversationHeader
          {...{ item, picker, onBack, onMarkUnread }}
          onPick={setPicker}
          areDetailsOpen={details.isOpen}
          onToggleDetails={details.toggle}
        />
        <ThreadView {...{ item, thread, messageId, onMessageShown, unreadFrom }} />
        <CustomerTyping conversationId={id} name={customerName(item.customer)} />
        <Composer
          item={item}
          onTyping={onTyping}
          tools={<EditorApps conversationId={id} />}
          onSend={(content) => sendMessage(id, thread, content, agent.agent_id)}
        />
      </div>
      <DetailsArea item={item} state={details} />
      {isAsked && (
        <Suspense>
          <ResolveDialog />
        </Suspense>
      )}
    </div>
  );
};

const LoadedPane = ({ conversationId, details, onBack }: ConversationPaneProps) => {
  const navigate = useNavigate({ from: "/conversations/$conversationId" });
  const { message: messageId } = useSearch({ strict: false });
  const { data: item, error, refetch } = useQuery(conversationQuery(conversationId));
  const thread = useThread(conversationId, messageId);
  const id = item?.conversation_id;
  useEffect(() => {
    // The address had the conversation's number: events know it by its id only.
    if (id !== undefined && id !== conversationId)
      void navigate({
        to: "/conversations/$conversationId",
        params: { conversationId: id },
        search: true,
        replace: true,
      });
  }, [id, conversationId, navigate]);

  const isGone = isProblemError(error) && error.problem.code === 404;
  // Earlier data stays, with the agent's draft, while the conversation can't be read again.
  if (error && (isGone || !item)) {
    return (
      <EmptyState
        isPage
        icon={isGone ? "search" : "warning"}
        title={isGone ? texts.notFound : texts.conversationFailed}
      >
        <p>{isGone ? texts.notFoundText : errorText(error)}</p>
        {!isGone && <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>}
        <Button variant={isGone ? "primary" : "secondary"} onPress={onBack}>
          {texts.back}
        </Button>
      </EmptyState>
    );
  }
  if (!item || id !== conversationId) return <Spinner />;
  return <OpenConversation {...{ item, thread, messageId, details, onBack }} />;
};

/** An open conversation: header with its actions, messages, composer, and details beside it. */
export const ConversationPane = (props: ConversationPaneProps) => <LoadedPane key={props.conversationId} {...props} />;
