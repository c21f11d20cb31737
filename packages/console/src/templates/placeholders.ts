import type { InboxItem, ReplyPlaceholder, SessionAgent, Workspace } from "@parley/contract";

export type PlaceholderValues = Readonly<Record<ReplyPlaceholder, string>>;

/** -> what the placeholders stand for in a conversation; an empty text: nothing is known */
export const placeholderValues = (
  { customer, channel_id }: Pick<InboxItem, "customer" | "channel_id">,
  agent: Pick<SessionAgent, "first_name" | "last_name">,
  channels: Workspace["channels"],
): PlaceholderValues => ({
  "customer.first_name": customer.first_name ?? "",
  "customer.last_name": customer.last_name ?? "",
  "customer.email": customer.email ?? "",
  "agent.first_name": agent.first_name ?? "",
  "agent.last_name": agent.last_name ?? "",
  topic: channels.find(({ id }) => id === channel_id)?.name ?? "",
});

/**
 * -> a template's text with its placeholders replaced. A placeholder without a value is left out, with the space before it; unknown placeholders
 * stay.
 */
export const filledTemplate = (text: string, values: PlaceholderValues): string =>
  text.replace(/([ \t]*)\{\{\s*([\w.]+)\s*\}\}/g, (found, space: string, name: string) => {
    if (!Object.hasOwn(values, name)) return found;
    const value = values[name as ReplyPlaceholder];
    return value === "" ? "" : space + value;
  });

/** -> names in double braces that are not placeholders */
export const unknownPlaceholders = (text: string, known: readonly string[]): readonly string[] => [
  ...new Set(
    [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, name = ""]) => name).filter((name) => !known.includes(name)),
  ),
];
