import type { ConversationInEvent, EventInStream, InboxItem, ListedCustomer, Message, User } from "@parley/contract";

/** The change of a conversation by an event. */
export interface ConversationEvent {
  readonly conversation: ConversationInEvent;
  /** Messages that the event adds, the oldest first. */
  readonly messages: readonly Message[];
  readonly customer: ListedCustomer | undefined;
  /** Whether the conversation begins with the event. */
  readonly isNew: boolean;
  /** Old values of the fields that the event changes; null: the field had no value. Absent for a message. */
  readonly former?: Readonly<Record<string, unknown>>;
}

/** @units characters */
const PREVIEW_LENGTH_MAX = 160;

export const customerOfUser = ({ id, first_name, last_name, email, phone, avatar }: User): ListedCustomer => ({
  id,
  ...(first_name !== undefined && { first_name }),
  ...(last_name !== undefined && { last_name }),
  ...(email !== undefined && { email }),
  ...(phone !== undefined && { phone }),
  ...(avatar?.url !== undefined && { avatar_url: avatar.url }),
});

/** -> undefined for an event that concerns no conversation */
export const conversationEventOf = ({ kind, data }: EventInStream): ConversationEvent | undefined => {
  const conversation = data.message ?? data.conversation;
  if (!conversation) return undefined;
  const { user } = data.associations;
  const { model_changes } = data.changes ?? {};
  const former = model_changes && Object.entries(model_changes).map(([name, [old]]) => [name, old] as const);
  return {
    conversation,
    messages: conversation.messages ?? [],
    customer: user && customerOfUser(user),
    isNew: kind === "conversation_create",
    ...(former && { former: Object.fromEntries(former) }),
  };
};

const previewOf = ({
  message_parts,
  actor_type,
  message_type,
  created_time,
}: Message): NonNullable<InboxItem["preview"]> => {
  const kind = Object.keys(message_parts[0] ?? {})[0] ?? "text";
  const text = message_parts.find((part) => part.text?.content)?.text?.content;
  return {
    text: text === undefined ? kind : text.slice(0, PREVIEW_LENGTH_MAX),
    kind,
    actor_type,
    is_private: message_type === "private",
    created_time,
  };
};

/** Whether a message ends the wait of the customer. */
const settles = ({ actor_type, message_type, meta_data }: Message): boolean =>
  (actor_type === "agent" && message_type === "normal") ||
  (actor_type === "system" && meta_data?.["isResolved"] === "true");

const withMessage = (item: InboxItem, message: Message): InboxItem => {
  const { actor_type, message_type, created_time } = message;
  const isOfCustomer = actor_type === "user";
  const { waiting_since, ...rest } = item;
  const since = settles(message) ? undefined : (waiting_since ?? (isOfCustomer ? created_time : undefined));
  return {
    ...rest,
    activity_time: created_time,
    ...(isOfCustomer || message_type !== "system" ? { preview: previewOf(message) } : {}),
    ...(since !== undefined && { waiting_since: since }),
    unread: item.unread + (isOfCustomer ? 1 : 0),
  };
};

const emptyItem = ({ conversation, customer }: ConversationEvent): InboxItem => ({
  conversation_id: conversation.conversation_id,
  number: conversation.conversation_internal_id,
  status: conversation.status,
  channel_id: conversation.channel_id,
  properties: {},
  interaction_id: conversation.interaction_id,
  customer: customer ?? { id: conversation.user_id },
  created_time: conversation.created_time,
  activity_time: conversation.created_time,
  unread: 0,
});

/** Takes over the state of the conversation as of the event. */
const withState = (item: InboxItem, { conversation, customer, former = {} }: ConversationEvent): InboxItem => {
  const { assigned_agent_id: _agent, assigned_group_id: _group, waiting_since, automatic_assignment, ...rest } = item;
  const { status, channel_id, interaction_id, assigned_agent_id, assigned_group_id, properties } = conversation;
  return {
    ...rest,
    status,
    channel_id,
    interaction_id,
    ...(assigned_agent_id ? { assigned_agent_id } : {}),
    ...(assigned_group_id ? { assigned_group_id } : {}),
    ...(properties && { properties }),
    ...(customer && { customer }),
    // The event does not say why the agent changed.
    ...(automatic_assignment && !("assigned_agent_id" in former) && { automatic_assignment }),
    ...(waiting_since !== undefined && status !== "resolved" && { waiting_since }),
  };
};

/** A conversation after an event. `isCertain`: every value is what the service would send. */
export interface ChangedItem {
  readonly item: InboxItem;
  readonly isCertain: boolean;
}

/**
 * Brings an event into a conversation. A message that is not newer than the conversation's newest one was already read with it.
 * @shape before: undefined for a conversation that is not known
 */
export const withEvent = (before: InboxItem | undefined, event: ConversationEvent): ChangedItem => {
  const known = before ?? emptyItem(event);
  const isFresh = before === undefined;
  // Of an unknown conversation the event has all messages only if the conversation begins with it.
  const added = event.messages.filter(
    ({ created_time }) => isFresh || Date.parse(created_time) > Date.parse(known.activity_time),
  );
  const item = withState(added.reduce(withMessage, known), event);
  const isReopened = known.status === "resolved" && item.status !== "resolved" && !isFresh;
  // Of two messages of one millisecond it is not known which of them was read.
  const isAmbiguous = !isFresh && event.messages.some(({ created_time }) => created_time === known.activity_time);
  const isAnswered = added.some(({ actor_type }) => actor_type === "user");
  return { item, isCertain: isFresh ? event.isNew : !isAmbiguous && (!isReopened || isAnswered) };
};

/** A conversation that is not known, as it was before an event. -> null: it did not exist; undefined: that is not known */
export const formerItem = (after: InboxItem, { isNew, former }: ConversationEvent): InboxItem | null | undefined => {
  if (isNew) return null;
  if (!former) return undefined;
  const { assigned_agent_id, assigned_group_id, ...rest } = { ...after, ...former };
  return {
    ...rest,
    ...(assigned_agent_id && { assigned_agent_id }),
    ...(assigned_group_id && { assigned_group_id }),
  };
};
