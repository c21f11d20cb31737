import { statement, type Db } from "@parley/database";
import { readPage, sortedPages, sortKey, type SortOrder } from "../db/page.ts";
import type { Page } from "../http/pagination.ts";
import type { StoredChannel } from "./shown.ts";

const CHANNELS = sortedPages("channels_page", {
  sorts: { name: sortKey("name"), updated_time: "updated_time" },
  matching: `select id, name, updated_time, body from channels where account_id = $3 and lower(locale) = lower($4)`,
});
const PRIMARY_CHANNELS = statement(
  "primary_channels",
  `select c.id, c.name, c.enabled, c.public
     from channels c
     join accounts a on a.id = c.account_id and a.primary_locale = c.locale
    where c.account_id = $1`,
);

/** What rules need to know of a channel. */
export interface ChannelFacts {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly public: boolean;
}
export interface ChannelSort {
  readonly by: "name" | "updated_time";
  readonly order: SortOrder;
}

/** Rows of the table `channels`: one for each language that a topic is written in. */
export const channelStore = (db: Db) => ({
  list: (accountId: number, locale: string, page: Page, { by, order }: ChannelSort) =>
    readPage<StoredChannel>(db, CHANNELS(by, order), page, [accountId, locale]),
  /** In the account's primary language. */
  facts: (accountId: number) => db.rows<ChannelFacts>(PRIMARY_CHANNELS, [accountId]),
});
export type ChannelStore = ReturnType<typeof channelStore>;
