import { roles } from "@parley/contract";
import { clampPage, pageReply } from "../http/pagination.ts";
import { slice } from "../http/slice.ts";
import type { RoleStore } from "./store.ts";

export const roleSlice = (deps: { readonly roles: Pick<RoleStore, "list"> }) =>
  slice(roles, {
    async listRoles({ caller: { account }, query, request }) {
      const { sort_by: by = "name", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.roles.list(account.id, page, { by, order });
      return pageReply({ name: "roles", rel: "role", items, total, ...page, request });
    },
  });
