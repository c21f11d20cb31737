import type { ConsoleApp } from "@parley/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../session/session.ts";

export const consoleAppsQuery = queryOptions({
  queryKey: ["apps"],
  queryFn: async ({ signal }) => (await client.workspace.listConsoleApps({ signal })).apps,
});

const NO_APPS: readonly ConsoleApp[] = [];

/** The installed apps that have pages; none until they are known. */
export const useConsoleApps = (): readonly ConsoleApp[] => useQuery(consoleAppsQuery).data ?? NO_APPS;
