import { createHash } from "node:crypto";
import type { Channel } from "@parley/contract";

/** Hexadecimal digits of the hash that a number is made of: 48 bits, of which two channels of an account never share all. */
const DIGITS = 12;
/** Channels whose numbers a process remembers: every message names one. */
const REMEMBERED = 10_000;

const remembered = new Map<string, string>();

/**
 * The number of a channel, in digits. It follows from the id, so that it is the same in every process, and after an export, an import
 * and a backup. Messages of earlier releases were given theirs by the migration `numbers`, in SQL.
 * @assumed The number's size.
 */
export const channelNumber = (id: string): string => {
  const known = remembered.get(id);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(id).digest("hex");
  const number = String(Number.parseInt(hash.slice(0, DIGITS), 16));
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(id, number);
  return number;
};

/** A channel as its row holds it. */
export type StoredChannel = Omit<Channel, "freshchat_channel_id" | "source">;

/** What the row of a channel does not hold. */
export const shownChannel = ({ welcome_message, ...channel }: StoredChannel): Channel => ({
  ...channel,
  ...(welcome_message && {
    welcome_message: { ...welcome_message, restrictResponse: false, botsPrivateNote: false, isBotsInput: false },
  }),
  freshchat_channel_id: channelNumber(channel.id),
  source: "FRESHCHAT",
});
