import type { Associations, Channel } from "@parley/contract";
import { alike, among, linesOf, type LineProblem } from "./lines.ts";

/**
 * Tells whether Concierge speaks in a topic.
 * A topic that the admin has named counts even when it is private or switched off on the web messenger.
 */
export const isChosen = (channel: NonNullable<Associations["channel"]>, topics: string): boolean => {
  const names = linesOf(topics);
  return names.length === 0
    ? channel.enabled !== false && channel.public !== false
    : names.some(({ text }) => alike(text) === alike(channel.name));
};

/** Lines that name no topic of the account. */
export const unknownTopics = (topics: string, channels: readonly Pick<Channel, "name">[]): LineProblem[] => {
  const names = channels.map(({ name }) => name);
  const known = new Set(names.map(alike));
  return linesOf(topics)
    .filter(({ text }) => !known.has(alike(text)))
    .map(({ line, text }) => ({ line, message: `the account has no topic "${text}". It has ${among(names)}.` }));
};
