import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { draftsQuery } from "../composer/drafts-query.ts";

/** Ids of the conversations in which the agent has a draft. */
export const useDraftIds = (): ReadonlySet<string> => {
  const { data: drafts } = useQuery(draftsQuery);
  return useMemo(() => new Set(drafts?.map(({ conversation_id }) => conversation_id)), [drafts]);
};
