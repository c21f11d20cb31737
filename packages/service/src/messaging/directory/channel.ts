import { createHash } from "node:crypto";
import type { Channel } from "@parley/contract";

/** Hexadecimal digits of the hash used for a number: 48 bits, enough to avoid collisions among an account's channels. */
const HASH_DIGITS = 12;
/** Maximum cached channel numbers; every message names a channel. */
const CACHED_CHANNELS_MAX = 10_000;

const channelNumbers = new Map<string, string>();

/**
 * Number of a channel, in digits. Derived from the id, so that it is the same in every process and after export, import
 * and backup. The migration `numbers` computes the same in SQL for messages of earlier releases.
 * @assumed The number's size.
 */
export const channelNumber = (id: string): string => {
  const cached = channelNumbers.get(id);
  if (cached !== undefined) return cached;
  const hash = createHash("sha256").update(id).digest("hex");
  const number = String(Number.parseInt(hash.slice(0, HASH_DIGITS), 16));
  if (channelNumbers.size >= CACHED_CHANNELS_MAX) channelNumbers.clear();
  channelNumbers.set(id, number);
  return number;
};

/** A channel as stored. */
export type StoredChannel = Omit<Channel, "freshchat_channel_id" | "source">;

/** Adds the members that are not stored. */
export const toApiChannel = ({ welcome_message, ...channel }: StoredChannel): Channel => ({
  ...channel,
  ...(welcome_message && {
    welcome_message: { ...welcome_message, restrictResponse: false, botsPrivateNote: false, isBotsInput: false },
  }),
  freshchat_channel_id: channelNumber(channel.id),
  source: "FRESHCHAT",
});
