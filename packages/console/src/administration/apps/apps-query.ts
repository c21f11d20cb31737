import type { CatalogueApp, FolderApp, InstallationDetails } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { platformCalls } from "../admin-client.ts";

/** Apps are installed in another tab, and published by others: read also when the admin returns. */
const UNLOGGED = { refetchOnWindowFocus: "always" } as const;

/** The apps that are installed on an account. */
export const installationsQuery = (account: string) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: ["admin", "apps", account, "installed"],
    queryFn: async ({ signal }): Promise<readonly InstallationDetails[]> =>
      (await platformCalls.listInstallations({ params: { account }, signal })).apps,
  });

/** The apps that can be installed on an account. */
export const catalogueQuery = (account: string) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: ["admin", "apps", account, "catalogue"],
    queryFn: async ({ signal }): Promise<readonly CatalogueApp[]> =>
      (await platformCalls.listCatalogue({ params: { account }, signal })).apps,
  });

/** The apps that the platform reads from folders for an account. */
export const folderAppsQuery = (account: string) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: ["admin", "apps", account, "folders"],
    queryFn: async ({ signal }): Promise<readonly FolderApp[]> =>
      (await platformCalls.listFolderApps({ params: { account }, signal })).apps,
  });

/** The declaration of a version of an app. A published version never changes. */
export const versionQuery = (account: string, name: string, version: string) =>
  queryOptions({
    queryKey: ["admin", "app-version", account, name, version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await platformCalls.getCatalogueVersion({ params: { account, name, version }, signal })).declaration,
  });

/** Key of everything that the service knows of the apps of an account. */
export const appsKey = (account: string): readonly unknown[] => ["admin", "apps", account];
