import type { FailedAuthenticationLimit } from "../identity/allowance/failed-authentication.ts";
import { adminMount } from "./admin/mount.ts";
import { adminRoutes, type AdminRouteDeps } from "./admin/routes.ts";
import { createRecordAudit } from "../identity/audit/record.sql.ts";
import type { MountRoutes } from "../identity/edge/http-server.ts";
import type { RouteDeps } from "../identity/edge/route.ts";
import type { SessionAdmission } from "../identity/edge/session-admission.ts";
import { transferMount, type TransferDeps } from "./import/mount.ts";

/** The endpoints below /admin; none without a key. */
export const composeAdmin = ({
  key,
  guard,
  sessionAdmission,
  resignUrls,
  uploadOriginOf,
  ...deps
}: Omit<AdminRouteDeps, "recordAudit"> &
  Pick<TransferDeps, "database" | "accountData" | "log"> & {
    readonly key: string | undefined;
    readonly guard: FailedAuthenticationLimit;
    readonly sessionAdmission: SessionAdmission;
  } & Pick<RouteDeps, "resignUrls" | "uploadOriginOf">): {
  readonly mounts: readonly MountRoutes[];
} => {
  if (key === undefined) return { mounts: [] };
  const audited = { ...deps, recordAudit: createRecordAudit(deps.ports) };
  return {
    mounts: [
      adminMount({ key, slice: adminRoutes(audited), guard, sessionAdmission, resignUrls, uploadOriginOf }),
      transferMount({ key, guard, sessionAdmission, ...audited }),
    ],
  };
};
