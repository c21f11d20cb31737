import { useRef, useState } from "react";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { firstUnread } from "./rows.ts";
import { loadThread } from "./thread-loading.ts";
import { closeThread, openThread, type Thread } from "./thread-store.ts";

/** The messages of a conversation while it is open. @shape messageId: the message at which the thread opens; undefined for the newest message */
export const useThread = (conversationId: string, messageId: string | undefined): Thread => {
  const [thread] = useState(() => openThread(conversationId));
  const opensAt = useRef(messageId);
  useEffect(() => {
    openThread(conversationId, thread);
    if (thread.get().phase !== "ready") void loadThread(conversationId, thread, opensAt.current);
    return () => closeThread(conversationId);
  }, [conversationId, thread]);
  return thread;
};

/** -> id of the first message that was unread when the conversation was opened @shape unread: of the conversation at present */
export const useUnreadFrom = (thread: Thread, unread: number): string | undefined => {
  const [unreadAtOpen] = useState(unread);
  const { phase, messages } = useStore(thread);
  const found = useRef<{ readonly id: string | undefined }>(undefined);
  if (phase === "ready") found.current ??= { id: firstUnread(messages, unreadAtOpen) };
  return found.current?.id;
};
