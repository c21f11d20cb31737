import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "../../session/session.ts";

/** The requested reports, a page at a time. An event of the stream invalidates the key when one is requested or finished. */
export const reportRequestsQuery = infiniteQueryOptions({
  queryKey: ["report-requests"],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam, signal }) =>
    client.reportRequests.listReportRequests({
      query: pageParam === undefined ? {} : { cursor: pageParam },
      signal,
    }),
  getNextPageParam: ({ next }) => next,
  // Nothing follows events while the page is closed.
  gcTime: 0,
});

/** The files of a report, with links that work for a while from now. */
export const reportFilesQuery = (id: string) =>
  queryOptions({
    queryKey: [...reportRequestsQuery.queryKey, id],
    queryFn: async ({ signal }) => ({
      ...(await client.reports.getReport({ params: { report_id: id }, signal })),
      readTime: Date.now(),
    }),
    gcTime: 0,
  });
