import { appInstallations } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { serveRows, type AuthorizeRow } from "../api/serve-rows.ts";
import type { InstallationLifecycle } from "./lifecycle.ts";

/** Routes of installations on accounts. */
export const installationRoutes = (
  scope: FastifyInstance,
  lifecycle: InstallationLifecycle,
  authorize: AuthorizeRow,
): void =>
  serveRows(
    scope,
    appInstallations,
    {
      listInstallations: async ({ params }) => ({ apps: [...(await lifecycle.list(params.account))] }),
      getInstallation: ({ params }) => lifecycle.find(params.account, params.name),
      installApp: ({ params, body }, author) => lifecycle.install(params.account, body, author),
      upgradeApp: ({ params, body }, author) => lifecycle.upgrade(params.account, params.name, body, author),
      rollBackApp: ({ params }, author) => lifecycle.rollBack(params.account, params.name, author),
      pauseApp: ({ params }, author) => lifecycle.pause(params.account, params.name, author),
      resumeApp: ({ params }, author) => lifecycle.resume(params.account, params.name, author),
      uninstallApp: ({ params }, author) => lifecycle.uninstall(params.account, params.name, author),
    },
    { authorize },
  );
