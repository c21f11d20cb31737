import type { Associations } from "@parley/contract";
import { alike } from "./lines.ts";

/**
 * Tells whether Concierge speaks in a topic.
 * A topic that the admin has named counts even when it is private or switched off on the web messenger.
 */
export const isChosen = (channel: NonNullable<Associations["channel"]>, topics: readonly string[]): boolean =>
  topics.length === 0
    ? channel.enabled !== false && channel.public !== false
    : topics.some((name) => alike(name) === alike(channel.name));
