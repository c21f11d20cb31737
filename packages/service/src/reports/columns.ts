import type { Column, NamedAgent } from "./column.ts";

/** What rows about a conversation share. */
export interface AboutConversation {
  readonly conversation_id: string;
  readonly interaction_id: string;
}

const fullName = (agent: NamedAgent | undefined): string =>
  [agent?.first_name, agent?.last_name].filter(Boolean).join(" ");

/** `agent_id`, `agent_name`; `from` tells a second agent apart. */
export const agentColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly Column<R>[] => [
  { name: `${prefix}agent_id`, value: id },
  { name: `${prefix}agent_name`, pii: true, value: (row, { names }) => fullName(names.agent(id(row))) },
];

export const agentEmail = <R extends { readonly agent_id: string | null }>(): Column<R> => ({
  name: "agent_email",
  pii: true,
  value: ({ agent_id }, { names }) => names.agent(agent_id)?.email,
});

/** `group_id`, `group_name`. */
export const groupColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly Column<R>[] => [
  { name: `${prefix}group_id`, value: id },
  { name: `${prefix}group_name`, value: (row, { names }) => names.group(id(row)) },
];

/** `channel_id`, `channel_name`. */
export const channelColumns = <R extends { readonly channel_id: string }>(): readonly Column<R>[] => [
  { name: "channel_id", value: ({ channel_id }) => channel_id },
  { name: "channel_name", value: ({ channel_id }, { names }) => names.channel(channel_id) },
];

/** `conversation_id`, `interaction_id`. */
export const conversationColumns = <R extends AboutConversation>(): readonly Column<R>[] => [
  { name: "conversation_id", value: ({ conversation_id }) => conversation_id },
  { name: "interaction_id", value: ({ interaction_id }) => interaction_id },
];

/** `conversation_url`, as in the conversation object. */
export const conversationUrl = <R extends { readonly conversation_id: string }>(): Column<R> => ({
  name: "conversation_url",
  value: ({ conversation_id }, stretch) => stretch.conversationUrl(conversation_id),
});

/** A time between two moments; a clock that was set back makes none negative. @units seconds */
export const between = (from: Date, to: Date | null): number | null =>
  to && Math.max(0, to.getTime() - from.getTime()) / 1000;

/** To three places: seconds to the millisecond. */
export const rounded = (value: number | null): number | null => value && Math.round(value * 1000) / 1000;
