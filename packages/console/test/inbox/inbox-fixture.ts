import type { ListedConversation } from "@parley/contract";

/** @units seconds after the first conversation */
const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

/** Where a conversation belongs in a list that begins with the newest activity. @units seconds after the first conversation */
export const positionAt = (seconds: number, number = seconds): number[] => [-Date.parse(at(seconds)), -number];

/** Conversation `number`, in which the customer wrote at the second of the same number. @shape activity: the second of the newest message */
export const itemOf = (
  number: number,
  { activity = number, ...fields }: Partial<ListedConversation> & { readonly activity?: number } = {},
): ListedConversation => ({
  conversation_id: `c${number}`,
  number,
  status: "new",
  channel_id: "topic",
  properties: {},
  interaction_id: `${number}-1`,
  customer: { id: `u${number}`, first_name: `Customer ${number}` },
  created_time: at(number),
  activity_time: at(activity),
  unread: 1,
  position: positionAt(activity, number),
  ...fields,
});

export const itemsOf = (...numbers: readonly number[]): ListedConversation[] => numbers.map((number) => itemOf(number));
