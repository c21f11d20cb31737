import type { ConsoleApp } from "@parley/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** First and longest time until apps are read again that a platform did not list. @units milliseconds */
const RETRY_MS = { first: 2_000, longest: 60_000 };

export const consoleAppsQuery = queryOptions({
  queryKey: ["apps"],
  queryFn: ({ signal }) => client.workspace.listConsoleApps({ signal }),
  select: ({ apps }) => apps,
  refetchInterval: ({ state: { data, dataUpdateCount } }) =>
    data?.is_complete === false && Math.min(RETRY_MS.first * 2 ** (dataUpdateCount - 1), RETRY_MS.longest),
});

const NO_APPS: readonly ConsoleApp[] = [];

/** The installed apps that have pages; none until they are known. */
export const useConsoleApps = (): readonly ConsoleApp[] => useQuery(consoleAppsQuery).data ?? NO_APPS;
