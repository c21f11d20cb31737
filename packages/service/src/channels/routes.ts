import { channels } from "@parley/contract";
import { clampPage, pageReply } from "../http/pagination.ts";
import { slice } from "../http/slice.ts";
import { shownChannel } from "./shown.ts";
import type { ChannelStore } from "./store.ts";

/**
 * @spec Endpoints > Groups, channels, roles
 * @assumed Channels are sorted by updated_time when nothing else is asked, agents by created_time, groups and roles by name.
 */
export const channelSlice = (deps: { readonly channels: Pick<ChannelStore, "list"> }) =>
  slice(channels, {
    async listChannels({ caller: { account }, query, request }) {
      const { locale = account.primary_locale, sort_by: by = "updated_time", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.channels.list(account.id, locale, page, { by, order });
      const told = query.locale === undefined ? items.map(({ locale: _, ...channel }) => channel) : items;
      const shown = told.map(shownChannel);
      return pageReply({ name: "channels", rel: "channel", items: shown, total, ...page, request });
    },
  });
