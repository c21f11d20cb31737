import type { ConsoleApp } from "@parley/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** First and longest wait before the list is read again while apps of a platform are missing from it. @units milliseconds */
const RETRY_MS = { first: 2_000, longest: 60_000 };

const consoleAppsQuery = queryOptions({
  queryKey: ["apps"],
  queryFn: ({ signal }) => client.workspace.listConsoleApps({ signal }),
  select: ({ apps }) => apps,
  refetchInterval: ({ state: { data, dataUpdateCount } }) =>
    data?.is_complete === false && Math.min(RETRY_MS.first * 2 ** (dataUpdateCount - 1), RETRY_MS.longest),
});

const NO_APPS: readonly ConsoleApp[] = [];

/** The installed apps that have pages; empty until they are known. */
export const useConsoleApps = (): readonly ConsoleApp[] => useQuery(consoleAppsQuery).data ?? NO_APPS;
