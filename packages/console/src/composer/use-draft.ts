import { isNoAnswerError, isProblemError } from "@parley/client/session";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { showError } from "../ui/toast-store.ts";
import { createDraftKeeper, DRAFT_RULES, isEmptyDraft, type DraftContent, type DraftKeeper } from "./draft-keeper.ts";
import { draftsQuery, saveDraft } from "./drafts-query.ts";
import { createUploads, type Uploads } from "./uploads.ts";

/** A draft with the files that are being uploaded for it. */
interface OpenDraft {
  readonly keeper: DraftKeeper;
  readonly uploads: Uploads;
}

/** Drafts of the conversations that are open, have something unsaved, or uploads. */
const openDrafts = new Map<string, OpenDraft>();

const openDraft = (queries: QueryClient, conversationId: string): OpenDraft => {
  const known = openDrafts.get(conversationId);
  if (known) return known;
  const keeper = createDraftKeeper({
    save: ({ text, isPrivate, parts }) =>
      saveDraft(queries, conversationId, { text, is_private: isPrivate, parts: [...parts] }),
    now: Date.now,
    later: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    // The text stays here. Without a connection, the next change saves it.
    onError: (error) => {
      const isGone = isProblemError(error) && error.problem.code === 404;
      if (!isNoAnswerError(error) && !isGone) showError(error);
    },
  });
  const uploads = createUploads((part) => keeper.change({ parts: [...keeper.content.get().parts, part] }));
  const draft = { keeper, uploads };
  openDrafts.set(conversationId, draft);
  return draft;
};

/** How often each conversation is shown. */
const shown = new Map<string, number>();

/** Saves the draft when the agent leaves; one that can't be saved is kept for the next opening. */
const release = async (conversationId: string, draft: OpenDraft): Promise<void> => {
  await draft.keeper.flush();
  const isBusy = draft.keeper.isChanged() || draft.uploads.list.get().length > 0 || shown.has(conversationId);
  if (!isBusy && openDrafts.get(conversationId) === draft) openDrafts.delete(conversationId);
};

interface UsedDraft extends OpenDraft {
  readonly content: DraftContent;
  /** Whether the service's draft was read. */
  readonly isLoaded: boolean;
}

/** The draft of a conversation, on all devices of the agent. */
export const useDraft = (conversationId: string): UsedDraft => {
  const queries = useQueryClient();
  const [draft] = useState(() => openDraft(queries, conversationId));
  const { keeper } = draft;
  const { data: drafts } = useQuery(draftsQuery);
  const content = useStore(keeper.content);

  useEffect(() => {
    if (!drafts) return;
    const adopt = (): void => keeper.adopt(drafts.find(({ conversation_id }) => conversation_id === conversationId));
    adopt();
    // What was not taken over while the agent typed here.
    const timer = setTimeout(adopt, DRAFT_RULES.typingMs);
    return () => clearTimeout(timer);
  }, [drafts, keeper, conversationId]);

  useEffect(() => {
    openDrafts.set(conversationId, draft);
    shown.set(conversationId, (shown.get(conversationId) ?? 0) + 1);
    const onHidden = (): void => void (document.visibilityState === "hidden" && keeper.flush());
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      const left = (shown.get(conversationId) ?? 1) - 1;
      if (left > 0) shown.set(conversationId, left);
      else shown.delete(conversationId);
      void release(conversationId, draft);
    };
  }, [conversationId, draft, keeper]);

  return { ...draft, content, isLoaded: drafts !== undefined };
};

/** After a message was sent: deletes the service's draft, unless something new was written. */
export const settleDraft = (keeper: DraftKeeper): void => {
  if (isEmptyDraft(keeper.content.get())) void keeper.flush();
};
