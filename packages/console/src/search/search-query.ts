import { infiniteQueryOptions } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { rangeStart, type SearchAddress } from "./search-address.ts";

/** Results of a kind while every kind is shown, and of a page of one kind. */
export const OVERVIEW_SIZE = 6;
const PAGE_SIZE = 20;

interface PageParam {
  readonly cursor?: string;
  /** The pages of a search begin at the same time. */
  readonly from?: string | undefined;
}

const FIRST_PAGE: PageParam = {};

/** How long results stay loaded after the page was left. @units milliseconds */
const KEPT_MS = 300_000;

/** Results of a search, page after page if it is for one kind. A request that is replaced by another request is aborted. */
export const searchQuery = ({ q = "", kind, channel, range }: SearchAddress) =>
  infiniteQueryOptions({
    queryKey: ["search", q, kind ?? "", channel ?? "", range ?? ""] as const,
    queryFn: async ({ pageParam, signal }) => {
      const from = pageParam.cursor === undefined ? rangeStart(range ?? "any", Date.now()) : pageParam.from;
      const results = await client.search.search({
        query: {
          q,
          limit: kind === undefined ? OVERVIEW_SIZE : PAGE_SIZE,
          ...(kind && { kinds: kind }),
          ...(channel !== undefined && { channel_id: channel }),
          ...(from !== undefined && { from_time: from }),
          ...(pageParam.cursor !== undefined && { cursor: pageParam.cursor }),
        },
        signal,
      });
      return { ...results, from };
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next, from }): PageParam | undefined =>
      next === undefined || kind === undefined ? undefined : { cursor: next, from },
    enabled: q !== "",
    // Results change with every message: a search that is repeated is sent again.
    staleTime: 15_000,
    gcTime: KEPT_MS,
  });
