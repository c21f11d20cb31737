import type { accountLifecycle } from "@parley/contract";
import type { Database, Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { RecordAudit } from "../../../identity/audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { RouteHandlers } from "../../../http/route-handlers.ts";
import type { IdentityAdministration } from "../../../identity/authentication/credential-administration.ts";
import type { ObjectStore } from "../../../base/objects/object-store.ts";
import { accountReportsPrefix } from "../../../console/reporting/reports/make-report.ts";
import { accountUploadsPrefix } from "../../../messaging/uploads/resign-urls.ts";
import type { AccountDataOwner } from "./account-data.ts";
import { createAccountClosing } from "./close.ts";
import { createAccountCreation } from "./create.ts";
import { createAccountDeletion } from "./deletion.ts";

interface AccountLifecycleDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly ports: Ports;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  readonly administration: Pick<IdentityAdministration, "issuePasswordLink" | "originOfLinks">;
  readonly objects: Pick<ObjectStore, "removeAll">;
  /** Data of accounts in tables of other components. */
  readonly accountData: readonly AccountDataOwner[];
  readonly recordAudit: RecordAudit;
  readonly log: Log;
}

/** Creates, closes and reopens accounts, and deletes closed accounts in the background. */
export const createAccountLifecycle = (deps: AccountLifecycleDeps) => {
  const create = createAccountCreation(deps);
  const closing = createAccountClosing(deps);
  const deletion = createAccountDeletion({
    ...deps,
    db: deps.pool,
    objectPrefixes: (id) => [accountUploadsPrefix(id), accountReportsPrefix(id)],
  });
  const handlers: RouteHandlers<typeof accountLifecycle> = {
    createAccount: ({ body, actor, request }) => create({ account: body, actor, host: request.header("host") }),
    closeAccount: ({ params, query, actor }) => closing.close({ name: params.account, days: query.after_days, actor }),
    reopenAccount: ({ params, actor }) => closing.reopen({ name: params.account, actor }),
  };
  return { handlers, begin: () => deletion.begin(), close: () => deletion.close() };
};
