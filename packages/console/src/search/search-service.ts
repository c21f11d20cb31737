import type { InputOf, search, SearchResults } from "@parley/contract";
import { client } from "../session/session.ts";

export type SearchQuery = InputOf<typeof search.search>["query"];

interface SearchCalls {
  readonly search: {
    readonly search: (input: { readonly query: SearchQuery; readonly signal: AbortSignal }) => Promise<SearchResults>;
  };
}

/** Searches messages, users and conversations within the agent's scope. */
export const searchService: SearchCalls["search"]["search"] = (input) =>
  // The client's types get this row with the table of the API.
  (client as typeof client & SearchCalls).search.search(input);
