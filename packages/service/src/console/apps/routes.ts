import { appTickets, CONSOLE_APP_NOT_FOUND, refuse, UNAUTHENTICATED, workspace } from "@parley/contract";
import { defineRoutes } from "../../http/route-handlers.ts";
import type { PageTickets } from "../../identity/authentication/page-tickets.sql.ts";
import { createConsoleApps, type ConsoleAppsDeps } from "./app-list.ts";

interface ConsoleAppRoutesDeps extends ConsoleAppsDeps {
  readonly tickets: Pick<PageTickets, "issue">;
}

/** Rows of this folder. */
const rows = { listConsoleApps: workspace.listConsoleApps, ...appTickets };

/** Apps in the console. */
export const consoleAppRoutes = ({ tickets, ...deps }: ConsoleAppRoutesDeps) => {
  const apps = createConsoleApps(deps);
  return defineRoutes(rows, {
    async listConsoleApps({ caller }) {
      const { apps: listed, isComplete } = await apps.list(caller.account);
      return { apps: [...listed], is_complete: isComplete };
    },
    // A ticket is issued for the origin that the platform has named, and never for an origin that a request names.
    async issueAppTicket({ caller, params: { name } }) {
      const app =
        (await apps.list(caller.account)).apps.find((one) => one.name === name) ?? refuse(CONSOLE_APP_NOT_FOUND);
      const ticket = (await tickets.issue(caller.credentialId, app.origin)) ?? refuse(UNAUTHENTICATED);
      return { ticket, origin: app.origin };
    },
  });
};
