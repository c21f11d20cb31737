import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client } from "../session/session.ts";

const draftsQuery = queryOptions({
  queryKey: ["drafts"],
  queryFn: ({ signal }) => client.drafts.listDrafts({ signal }),
});

/** Ids of the conversations in which the agent has a draft. */
export const useDraftIds = (): ReadonlySet<string> => {
  const { data } = useQuery(draftsQuery);
  return useMemo(() => new Set(data?.drafts.map(({ conversation_id }) => conversation_id)), [data]);
};
