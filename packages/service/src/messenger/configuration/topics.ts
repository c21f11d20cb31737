import { shownLocales } from "@parley/contract/display";
import { createTtlCache } from "../../base/concurrency/ttl-cache.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { ChannelStore, LocalizedChannel } from "../../messaging/directory/store.ts";

interface TopicsDeps {
  readonly channels: Pick<ChannelStore, "enabled">;
  readonly ports: Pick<Ports, "monotonicMs">;
}

/** The enabled topics of accounts in all languages. May be stale by one second. */
export const createTopics = ({ channels, ports }: TopicsDeps) => {
  const cache = createTtlCache((accountId) => channels.enabled(accountId), ports);
  return {
    /** -> one row per topic and language */
    of: cache.get,
    forget: cache.invalidate,
    /** -> a topic that visitors can write about: it is enabled, and public or shown on pages with one of its tags */
    find: async (accountId: number, id: string): Promise<Pick<LocalizedChannel, "id"> | undefined> =>
      (await cache.get(accountId)).find((row) => row.id === id.toLowerCase() && (row.public || row.tags.length > 0)),
  };
};
export type Topics = ReturnType<typeof createTopics>;

/**
 * The topics of a page: the enabled ones with one of its tags; without a tag, or if no topic has one of them, the public ones.
 * @spec Resources and their fields > Channel (topic) object
 * @assumed A tag that no topic has shows the public topics: a misspelt tag must not leave customers without a way to write.
 */
export const topicsOfPage = (
  rows: readonly LocalizedChannel[],
  tags: readonly string[],
): readonly LocalizedChannel[] => {
  const tagged = rows.filter((row) => row.tags.some((tag) => tags.includes(tag)));
  return tagged.length > 0 ? tagged : rows.filter((row) => row.public);
};

/**
 * Each topic once: in the first locale that it has, by language and region, else by the language alone, else in the primary language.
 * @assumed The last: `GET /channels` omits such a topic.
 * @shape locales: by preference
 */
export const localized = (
  rows: readonly LocalizedChannel[],
  locales: readonly string[],
  primary: string,
): readonly LocalizedChannel[] => {
  const wanted = shownLocales(locales, primary);
  const rankOf = (row: LocalizedChannel): number => wanted.lastIndexOf(row.locale.toLowerCase());
  const best = new Map<string, LocalizedChannel>();
  for (const row of rows) {
    const present = best.get(row.id);
    if (rankOf(row) >= 0 && (!present || rankOf(row) > rankOf(present))) best.set(row.id, row);
  }
  return [...best.values()];
};
