import { isNoAnswerError, isProblemError } from "@parley/client/session";
import type { QueryClient } from "@tanstack/react-query";
import { createStore, type Store } from "../state/store.ts";
import { showError } from "../ui/toast-store.ts";
import { dropUnsaved, keepUnsaved, onOtherTabUnsaved, unsavedAt, unsavedPlaces } from "../unsaved/unsaved-store.ts";
import { createDraftKeeper, isEmptyDraft, type DraftKeeper, type UnsavedDraft } from "./draft-keeper.ts";
import { readDraft, saveDraft } from "./drafts-query.ts";
import { createComposerUploads, type Uploads } from "./uploads.ts";

/** A draft with the files that are being uploaded for it. */
interface OpenDraft {
  readonly keeper: DraftKeeper;
  readonly uploads: Uploads;
}

/** The drafts of a conversation: text that is written as a note never becomes a reply. */
interface ConversationDrafts {
  readonly reply: OpenDraft;
  readonly note: OpenDraft;
  /** Whether a private note is being written. Undefined until the drafts are read or the agent has chosen. */
  readonly mode: Store<boolean | undefined>;
}

export const draftOf = ({ reply, note }: ConversationDrafts, isPrivate: boolean): OpenDraft =>
  isPrivate ? note : reply;

const keepersOf = ({ reply, note }: ConversationDrafts): readonly DraftKeeper[] => [reply.keeper, note.keeper];

/** Drafts of the conversations that are open, have something unsaved, or uploads. */
const openDrafts = new Map<string, ConversationDrafts>();

const PLACE = /^draft (\S+) (reply|note)$/;
const placeOf = (conversationId: string, isPrivate: boolean): string =>
  `draft ${conversationId} ${isPrivate ? "note" : "reply"}`;

const isTemporary = (error: unknown): boolean =>
  isNoAnswerError(error) || (isProblemError(error) && (error.problem.code >= 500 || error.problem.code === 429));

const createDraft = (queries: QueryClient, conversation_id: string, is_private: boolean): OpenDraft => {
  const place = { conversation_id, is_private };
  const keptAt = placeOf(conversation_id, is_private);
  const keeper = createDraftKeeper({
    save: ({ text, parts }, based_on) => saveDraft(queries, place, { text, parts: [...parts], is_private, based_on }),
    read: () => readDraft(queries, place),
    isConflict: (error) => isProblemError(error, "DRAFT_CHANGED"),
    isTemporary,
    keep: (draft) => (draft ? keepUnsaved(keptAt, draft) : dropUnsaved(keptAt)),
    now: Date.now,
    later: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    // The text stays here, and in the browser.
    onError: (error) => {
      const isGone = isProblemError(error) && error.problem.code === 404;
      if (!isTemporary(error) && !isGone) showError(error);
    },
  });
  const kept = unsavedAt<UnsavedDraft>(keptAt);
  if (kept) keeper.follow(kept);
  return {
    keeper,
    uploads: createComposerUploads((part) => keeper.change({ parts: [...keeper.content.get().parts, part] })),
  };
};

export const openConversationDrafts = (queries: QueryClient, conversationId: string): ConversationDrafts => {
  const known = openDrafts.get(conversationId);
  if (known) return known;
  const drafts: ConversationDrafts = {
    reply: createDraft(queries, conversationId, false),
    note: createDraft(queries, conversationId, true),
    mode: createStore<boolean | undefined>(undefined),
  };
  openDrafts.set(conversationId, drafts);
  return drafts;
};

/** How often each conversation is shown. */
const shown = new Map<string, number>();

const flush = async (drafts: ConversationDrafts): Promise<void> => {
  await Promise.all(keepersOf(drafts).map((keeper) => keeper.flush()));
};

/** Saves the drafts when the agent leaves; those that can't be saved are kept for the next opening. */
const release = async (conversationId: string, drafts: ConversationDrafts): Promise<void> => {
  await flush(drafts);
  const { reply, note } = drafts;
  const isBusy = [reply, note].some(({ keeper, uploads }) => keeper.isChanged() || uploads.list.get().length > 0);
  const isOpen = openDrafts.get(conversationId) === drafts;
  if (!isBusy && !shown.has(conversationId) && isOpen) openDrafts.delete(conversationId);
};

/** The conversation is shown. -> the function that ends it */
export const holdDrafts = (conversationId: string, drafts: ConversationDrafts): (() => void) => {
  openDrafts.set(conversationId, drafts);
  shown.set(conversationId, (shown.get(conversationId) ?? 0) + 1);
  return () => {
    const left = (shown.get(conversationId) ?? 1) - 1;
    if (left > 0) shown.set(conversationId, left);
    else shown.delete(conversationId);
    void release(conversationId, drafts);
  };
};

/** Saves the unsaved drafts of all conversations. */
export const saveOpenDrafts = async (): Promise<void> => {
  await Promise.all([...openDrafts.values()].map(flush));
};

/** Saves what an earlier page could not save, keeps the drafts of several tabs the same, and saves before the page is hidden or closed. */
export const startDrafts = (queries: QueryClient): void => {
  for (const place of unsavedPlaces("draft ")) {
    const [, conversationId] = PLACE.exec(place) ?? [];
    if (conversationId !== undefined) openConversationDrafts(queries, conversationId);
  }
  onOtherTabUnsaved((place, value) => {
    const [, conversationId = "", kind] = PLACE.exec(place) ?? [];
    const drafts = openDrafts.get(conversationId);
    if (drafts) draftOf(drafts, kind === "note").keeper.follow(value as UnsavedDraft | undefined);
  });
  document.addEventListener("visibilitychange", () => void (document.visibilityState === "hidden" && saveOpenDrafts()));
  addEventListener("pagehide", () => void saveOpenDrafts());
};

/** After a message was sent: deletes the service's draft, unless something new was written. */
export const settleDraft = (keeper: DraftKeeper): void => {
  if (isEmptyDraft(keeper.content.get())) void keeper.flush();
};
