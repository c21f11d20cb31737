import { accounts, roles, fields, channels, groups } from "@parley/contract";
import { defineRoutes } from "../../http/route-handlers.ts";
import { clampPage, pageReply } from "../../http/pagination.ts";
import type { RoleStore, FieldStore, ChannelStore, GroupStore } from "./store.ts";
import { toApiChannel } from "./channel.ts";

export const accountRoutes = () =>
  defineRoutes(accounts, {
    async getConfiguration({ caller }) {
      return caller.account.configuration;
    },
  });

export const roleRoutes = (deps: { readonly roles: Pick<RoleStore, "list"> }) =>
  defineRoutes(roles, {
    async listRoles({ caller: { account }, query, request }) {
      const { sort_by: by = "name", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.roles.list(account.id, page, { by, order });
      return pageReply({ name: "roles", rel: "role", items, total, ...page, request });
    },
  });

export const fieldRoutes = (deps: { readonly fields: Pick<FieldStore, "list"> }) =>
  defineRoutes(fields, {
    async listFields({ caller }) {
      return deps.fields.list(caller.account.id);
    },
  });

/**
 * @spec Endpoints > Groups, channels, roles
 * @assumed Channels are sorted by updated_time when nothing else is asked, agents by created_time, groups and roles by
 * name.
 */
export const channelRoutes = (deps: { readonly channels: Pick<ChannelStore, "list"> }) =>
  defineRoutes(channels, {
    async listChannels({ caller: { account }, query, request }) {
      const { locale = account.primary_locale, sort_by: by = "updated_time", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.channels.list(account.id, locale, page, { by, order });
      const visible = query.locale === undefined ? items.map(({ locale: _, ...channel }) => channel) : items;
      const shown = visible.map(toApiChannel);
      return pageReply({ name: "channels", rel: "channel", items: shown, total, ...page, request });
    },
  });

export const groupRoutes = (deps: { readonly groups: Pick<GroupStore, "list"> }) =>
  defineRoutes(groups, {
    async listGroups({ caller: { account }, query, request }) {
      const { sort_by: by = "name", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.groups.list(account.id, page, { by, order });
      return pageReply({ name: "groups", rel: "group", items, total, ...page, request });
    },
  });
