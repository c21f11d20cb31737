import type { Base } from "../base/module.ts";
import { createOrphanSweep, type ObjectOwner } from "../base/objects/orphans.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { Events } from "../events/module.ts";
import { createOriginOf } from "../identity/edge/host.ts";
import type { Identity } from "../identity/module.ts";
import type { Messaging } from "../messaging/module.ts";
import type { AccountDataOwner } from "./administration/lifecycle/account-data.ts";
import { createAccountLifecycle } from "./administration/lifecycle/account-lifecycle.ts";
import { createAdminApi } from "./administration/endpoints/admin.ts";
import { adminMount } from "./administration/endpoints/mount.ts";
import { adminRoutes } from "./administration/endpoints/routes.ts";
import type { ServiceConfig } from "./configuration/config.ts";
import { transferMount } from "./transfer/import/mount.ts";

interface OperationsDeps {
  readonly base: Base;
  readonly messaging: Pick<Messaging, "resignUrls">;
  readonly identity: Identity;
  readonly events: Pick<Events, "adminHandlers">;
  readonly config: ServiceConfig;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Enables the endpoints below /admin. */
  readonly adminKey?: string | undefined;
  /** Data of accounts in tables of other components. */
  readonly accountData: readonly AccountDataOwner[];
  /** What this process caches of an account is read again. */
  readonly forgetAccount: (accountId: number) => void;
  /** Tables of all areas whose rows refer to objects. */
  readonly objectOwners: readonly ObjectOwner[];
}

/** Work of operators: set up, close and delete accounts, import and export, and remove objects without a row. */
export const createOperationsModule = ({ base, messaging, identity, events, config, ...deps }: OperationsDeps) => {
  const { database, pool, ports, jobs, openedObjects, log } = base;
  const { recordAudit, administration, sessionAdmission } = identity;
  const { guard } = identity.edge;
  const { domain, accountData, forgetAccount, adminKey: key } = deps;
  const { resignUrls } = messaging;
  const { objects } = openedObjects;
  const accountLifecycle = createAccountLifecycle({
    ...{ database, pool, ports, domain, administration, objects, accountData, recordAudit, log },
  });
  const isSweepEnabled = !base.isLocal && config.objects?.isSwept !== false;
  const orphanSweep = createOrphanSweep({
    ...{ ...openedObjects, isEnabled: isSweepEnabled, owners: deps.objectOwners, db: pool, jobs, ports, log },
  });
  const slice = adminRoutes({
    ...{ pool, ports, domain, recordAudit, forgetAccount },
    embedded: database.embedded,
    callsPerHour: config.callsPerHour,
    otherHandlers: { ...identity.adminHandlers, ...events.adminHandlers, ...accountLifecycle.handlers },
  });
  const uploadOriginOf = createOriginOf(config.publicUrl);
  const transferDeps = { database, pool, ports, domain, accountData, recordAudit, log };
  return {
    admin: createAdminApi(pool, ports, administration),
    mounts:
      key === undefined
        ? []
        : [
            adminMount({ key, slice, guard, sessionAdmission, resignUrls, uploadOriginOf }),
            transferMount({ key, guard, sessionAdmission, ...transferDeps }),
          ],
    tasks: orphanSweep.tasks,
    begin() {
      accountLifecycle.begin();
      orphanSweep.begin();
    },
    close: () => accountLifecycle.close(),
  } satisfies AreaModule & Record<string, unknown>;
};
