import type { Draft, NewDraft } from "@parley/contract";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** The agent's drafts of all conversations; read again when one changes on another device. */
export const draftsQuery = queryOptions({
  queryKey: ["drafts", "list"],
  queryFn: async ({ signal }) => (await client.drafts.listDrafts({ signal })).drafts,
});

type DraftPlace = Pick<Draft, "conversation_id" | "is_private">;

export const isDraftOf =
  ({ conversation_id, is_private }: DraftPlace) =>
  (draft: Draft): boolean =>
    draft.conversation_id === conversation_id && draft.is_private === is_private;

const remember = async (queries: QueryClient, place: DraftPlace, draft: Draft | undefined): Promise<void> => {
  // A list that is being read may be older than the draft.
  await queries.cancelQueries({ queryKey: draftsQuery.queryKey });
  queries.setQueryData(draftsQuery.queryKey, (drafts) => {
    const others = (drafts ?? []).filter((each) => !isDraftOf(place)(each));
    return draft ? [draft, ...others] : others;
  });
};

/** Saves a draft; an empty one is deleted. -> its time; empty if it was deleted @errors DRAFT_CHANGED */
export const saveDraft = async (queries: QueryClient, place: DraftPlace, draft: NewDraft): Promise<string> => {
  const { conversation_id } = place;
  const saved = await client.drafts.saveDraft({ params: { conversation_id }, body: draft });
  const isEmpty = draft.text === "" && draft.parts.length === 0;
  await remember(queries, place, isEmpty ? undefined : saved);
  return isEmpty ? "" : saved.updated_time;
};

/** Reads the service's draft anew. */
export const readDraft = async (queries: QueryClient, place: DraftPlace): Promise<Draft | undefined> => {
  const draft = (await client.drafts.listDrafts()).drafts.find(isDraftOf(place));
  await remember(queries, place, draft);
  return draft;
};
