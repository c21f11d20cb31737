import { groups } from "@parley/contract";
import { clampPage, pageReply } from "../http/pagination.ts";
import { slice } from "../http/slice.ts";
import type { GroupStore } from "./store.ts";

export const groupSlice = (deps: { readonly groups: Pick<GroupStore, "list"> }) =>
  slice(groups, {
    async listGroups({ caller: { account }, query, request }) {
      const { sort_by: by = "name", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.groups.list(account.id, page, { by, order });
      return pageReply({ name: "groups", rel: "group", items, total, ...page, request });
    },
  });
