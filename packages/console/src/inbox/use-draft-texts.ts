import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { draftsQuery } from "../composer/drafts-query.ts";

/** The agent's drafts by the conversation: of a reply and a note the draft that comes first in the list. */
export const useDraftTexts = (): ReadonlyMap<string, string> => {
  const { data: drafts = [] } = useQuery(draftsQuery);
  return useMemo(
    () => new Map(drafts.toReversed().map(({ conversation_id, text }) => [conversation_id, text])),
    [drafts],
  );
};
