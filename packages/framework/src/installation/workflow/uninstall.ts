import type { Log } from "@parley/telemetry";
import { installationReport, type ChangeAuthor } from "../../identity/change-reports.ts";
import type { AppCalls } from "../../runtime/calls/app-calls.ts";
import type { RunSetUpHandler } from "../../runtime/calls/payload.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { Installations, SerialQueue } from "../../state/installations.ts";

interface UninstallWorkflowDeps {
  readonly installations: Pick<Installations, "find" | "remove">;
  readonly setUp: RunSetUpHandler;
  readonly calls: Pick<AppCalls, "end">;
  /** Resolves when all recorded calls are stored: they are removed with the installation. */
  readonly recorded: () => Promise<void>;
  readonly owner: RecordOwner;
  readonly newId: () => string;
  readonly inTurn: SerialQueue;
  readonly log: Log;
}

/**
 * Uninstalls the app and removes its data; has no effect when it is not installed.
 * @shape author: absent: the change is not recorded in the audit log
 */
export type UninstallWorkflow = (author?: ChangeAuthor) => Promise<void>;

/** @assumed `onAppUninstall` can't prevent the removal: its refusal or failure is logged. */
export const createUninstallWorkflow =
  ({ installations, setUp, calls, recorded, inTurn, owner, newId, log }: UninstallWorkflowDeps): UninstallWorkflow =>
  (author) =>
    inTurn(async () => {
      const installation = await installations.find();
      if (!installation) return;
      const answer = await setUp("onAppUninstall", { values: installation.values, secureValues: {} });
      if (!answer.ok)
        log(`The app was uninstalled although its onAppUninstall handler refused or failed: ${answer.message}`, {
          level: "warn",
        });
      await calls.end(installation);
      await recorded();
      const change = { account: owner.account, app: owner.project, action: "app.uninstall", members: [] } as const;
      await installations.remove(installation.id, author && installationReport(author, { id: newId(), ...change }));
    });
