import type { ConversationChange, InboxItem } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { uiMessages } from "../ui/messages.ts";
import { showError, showToast, type ToastAction } from "../ui/toast-store.ts";
import { type BulkOutcome, refusedCount, undoingChanges } from "./bulk-changes.ts";
import { inboxMessages as texts } from "./messages.ts";
import { changeConversationsInBulk, markConversations } from "./run-bulk.ts";

/** -> what a bulk change has done, as a sentence @shape word: such as "resolved" */
const textOf = (outcome: BulkOutcome, word: string): string => {
  const refused = refusedCount(outcome);
  const done = texts.bulkDone(outcome.done.length, word);
  if (refused === 0) return done;
  const reasons = [...outcome.refusals].map(([reason, count]) =>
    outcome.refusals.size > 1 ? `${reason} (${count})` : reason,
  );
  const text = reasons.join(" ");
  return outcome.done.length === 0
    ? texts.bulkNoneDone(refused, word, text)
    : `${done}, ${texts.bulkNotDone(refused, text)}`;
};

const report = (outcome: BulkOutcome, word: string, action?: ToastAction): void => {
  const isFailed = refusedCount(outcome) > 0;
  showToast(textOf(outcome, word), {
    tone: isFailed ? "error" : "info",
    ...(outcome.done.length > 0 && action && { action }),
  });
};

const undoAction = (undo: () => Promise<BulkOutcome>): ToastAction => ({
  label: uiMessages.undo,
  run: () => void undo().then((outcome) => report(outcome, texts.wordRestored), showError),
});

/** Those of the conversations that were changed, as they were before. */
const changedOf = (items: readonly InboxItem[], { done }: BulkOutcome): readonly InboxItem[] => {
  const ids = new Set(done);
  return items.filter(({ conversation_id }) => ids.has(conversation_id));
};

const idsOf = (items: readonly InboxItem[]): readonly string[] => items.map(({ conversation_id }) => conversation_id);

/** Changes conversations, says what became of them, and offers to undo it. -> ids of those that were changed */
export const changeAll = async (
  queries: QueryClient,
  items: readonly InboxItem[],
  change: ConversationChange,
  word: string,
): Promise<readonly string[]> => {
  const outcome = await changeConversationsInBulk(queries, [{ change, ids: idsOf(items) }]);
  const groups = undoingChanges(changedOf(items, outcome), change);
  report(
    outcome,
    word,
    undoAction(() => changeConversationsInBulk(queries, groups)),
  );
  return outcome.done;
};

/** Marks conversations as read or unread. An undo marks those that were otherwise before. */
export const markAll = async (
  queries: QueryClient,
  items: readonly InboxItem[],
  isRead: boolean,
): Promise<readonly string[]> => {
  const changed = items.filter(({ unread }) => unread > 0 === isRead);
  const outcome = await markConversations(queries, idsOf(changed), isRead);
  const done = idsOf(changedOf(changed, outcome));
  report(
    outcome,
    isRead ? texts.wordRead : texts.wordUnread,
    undoAction(() => markConversations(queries, done, !isRead)),
  );
  return done;
};
