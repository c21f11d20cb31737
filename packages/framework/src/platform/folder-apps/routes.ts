import { ACCOUNT_NOT_FOUND, folderApps, refuse } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { FastifyInstance } from "fastify";
import { serveRows, type AuthorizeRow } from "../api/serve-rows.ts";
import { folderAppOf, type LiveApp } from "./folder-apps.ts";
import { folderInstallationStore } from "./store.ts";

interface FolderAppRoutesDeps {
  readonly pool: Pool;
  readonly liveApps: () => readonly LiveApp[];
  readonly domainSuffix: string;
  readonly accountExists: (name: string) => Promise<boolean>;
  readonly authorize: AuthorizeRow;
}

/** Routes of apps that are read from folders. */
export const folderAppRoutes = (
  scope: FastifyInstance,
  { pool, liveApps, domainSuffix, accountExists, authorize }: FolderAppRoutesDeps,
): void => {
  const store = folderInstallationStore(pool);
  serveRows(
    scope,
    folderApps,
    {
      async listFolderApps({ params: { account } }) {
        if (!(await accountExists(account))) refuse(ACCOUNT_NOT_FOUND);
        const apps = liveApps().filter(({ unit }) => unit.engine.owner.account === account);
        return { apps: await Promise.all(apps.map((app) => folderAppOf(app, { store, domainSuffix }))) };
      },
    },
    { authorize },
  );
};
