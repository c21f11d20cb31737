import { infiniteQueryOptions } from "@tanstack/react-query";
import { client } from "../../session/session.ts";
import { pageOfLink, type OutboundMessagePage } from "./page-of-link.ts";

/** Messages that are read at once. */
const PAGE_SIZE = 50;

const FIRST_PAGE: OutboundMessagePage = { page: 1, until: undefined };

/** All outbound messages of the account, the newest request first. */
export const outboundMessagesQuery = infiniteQueryOptions({
  queryKey: ["admin", "outbound-messages"],
  queryFn: ({ pageParam: { page, until }, signal }) =>
    client.outbound.listOutboundMessages({
      query: { page, items_per_page: PAGE_SIZE, ...(until !== undefined && { until }) },
      signal,
    }),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: ({ link }) => pageOfLink(link?.href),
});
