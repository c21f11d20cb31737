import type { Guard } from "../allowance/guard.ts";
import type { Mount } from "../http/edge.ts";
import { transferMount, type TransferDeps } from "../import/mount.ts";
import { adminMount } from "./mount.ts";
import { adminSlice, type AdminDeps } from "./routes.ts";

/** The addresses below /admin: none without a key. */
export const adminPart = ({
  key,
  guard,
  ...deps
}: AdminDeps & Pick<TransferDeps, "database" | "log"> & { readonly key: string | undefined; readonly guard: Guard }): {
  readonly mounts: readonly Mount[];
} => ({
  mounts:
    key === undefined
      ? []
      : [adminMount({ key, slice: adminSlice(deps), guard }), transferMount({ key, guard, ...deps })],
});
