import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { DRAFT_RULES, isEmptyDraft, type DraftContent, type DraftKeeper } from "./draft-keeper.ts";
import { draftsQuery, isDraftOf } from "./drafts-query.ts";
import { draftOf, holdDrafts, openConversationDrafts } from "./open-drafts.ts";
import type { Uploads } from "./uploads.ts";

interface UsedDraft {
  /** Of the draft that is being written: the reply or the note. */
  readonly keeper: DraftKeeper;
  readonly uploads: Uploads;
  readonly content: DraftContent;
  /** Whether there is also a draft of the other kind. */
  readonly hasOther: boolean;
  readonly chooseMode: (isPrivate: boolean) => void;
}

/** The drafts of a conversation, on all devices of the agent. */
export const useDraft = (conversationId: string): UsedDraft => {
  const queries = useQueryClient();
  const [drafts] = useState(() => openConversationDrafts(queries, conversationId));
  const { data: stored } = useQuery(draftsQuery);
  const reply = useStore(drafts.reply.keeper.content);
  const note = useStore(drafts.note.keeper.content);
  const mode = useStore(drafts.mode);

  useEffect(() => {
    if (!stored) return;
    const adopt = (): void => {
      for (const is_private of [false, true])
        draftOf(drafts, is_private).keeper.adopt(
          stored.find(isDraftOf({ conversation_id: conversationId, is_private })),
        );
    };
    adopt();
    // A note opens if it is all that was written. The mode does not change by itself later, such as when the note is sent or emptied.
    const [isReplyEmpty, isNoteEmpty] = [drafts.reply, drafts.note].map(({ keeper }) =>
      isEmptyDraft(keeper.content.get()),
    );
    drafts.mode.update((chosen) => chosen ?? (isReplyEmpty === true && isNoteEmpty === false));
    // A draft of another device that was not taken over while the agent typed here.
    const timer = setTimeout(adopt, DRAFT_RULES.typingMs);
    return () => clearTimeout(timer);
  }, [stored, drafts, conversationId]);
  useEffect(() => holdDrafts(conversationId, drafts), [conversationId, drafts]);

  const isPrivate = mode ?? false;
  return {
    ...draftOf(drafts, isPrivate),
    content: { ...(isPrivate ? note : reply), isPrivate },
    hasOther: !isEmptyDraft(isPrivate ? reply : note),
    chooseMode: (next) => drafts.mode.set(next),
  };
};
