import type { Draft, NewDraft } from "@parley/contract";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** The agent's drafts of all conversations; read again when one changes on another device. */
export const draftsQuery = queryOptions({
  queryKey: ["drafts", "list"],
  queryFn: async ({ signal }) => (await client.drafts.listDrafts({ signal })).drafts,
});

const remember = (queries: QueryClient, conversationId: string, draft: Draft | undefined): void => {
  queries.setQueryData(draftsQuery.queryKey, (drafts) => {
    const others = (drafts ?? []).filter(({ conversation_id }) => conversation_id !== conversationId);
    return draft ? [draft, ...others] : others;
  });
};

/** Saves a draft; an empty one is deleted. A list that is being read is not awaited: it may be older than the draft. */
export const saveDraft = async (queries: QueryClient, conversationId: string, draft: NewDraft): Promise<void> => {
  const params = { conversation_id: conversationId };
  const isEmpty = draft.text === "" && draft.parts.length === 0;
  const saved = isEmpty ? undefined : await client.drafts.saveDraft({ params, body: draft });
  if (isEmpty) await client.drafts.deleteDraft({ params });
  await queries.cancelQueries({ queryKey: draftsQuery.queryKey });
  remember(queries, conversationId, saved);
};
