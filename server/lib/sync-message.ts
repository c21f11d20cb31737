import type { Changes, ConversationInEvent, User } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import type { SyncEvent } from "./settings.ts";
import { hashedName } from "./hashed-name.ts";
import type { UseCaseEvent } from "./use-case.ts";

type RatedEvent = Extract<UseCaseEvent, { readonly kind: "rated" }>;
type SyncUser = Omit<User, "restore_id">;
type SyncConversation = Omit<ConversationInEvent, "messages">;

/** The message to another system. */
export interface SyncMessage {
  /** Id of the message, equal for repeated messages. */
  readonly id: string;
  /** Name of the event, such as user.created. */
  readonly event: string;
  /** ISO 8601. */
  readonly time: string;
  readonly user?: SyncUser;
  readonly channel?: { readonly id: string; readonly name: string };
  readonly conversation?: SyncConversation;
  readonly rating?: { readonly points: number; readonly feedback?: string };
  /** [old, new] by field. */
  readonly changes?: Changes["model_changes"];
}

export type SyncOutEvent = EventPayload & { readonly happening?: UseCaseEvent };

/** A conversation's own members, and its customer. The restore_id is omitted: anyone who presents it is treated as the customer. */
const subjectOf = ({ associations, ...data }: EventPayload["data"]) => {
  const { restore_id: _restore_id, ...user } = (data.user ?? associations.user ?? {}) as Partial<User>;
  const { messages: _messages, ...conversation } = (data.conversation ??
    data.message ??
    {}) as Partial<ConversationInEvent>;
  const { channel } = associations;
  return {
    ...(user.id !== undefined && { user: user as SyncUser }),
    ...(channel && { channel: { id: channel.id, name: channel.name } }),
    ...(conversation.conversation_id !== undefined && { conversation: conversation as SyncConversation }),
  };
};

const ratingOf = ({ rating, feedback }: RatedEvent): SyncMessage["rating"] => ({
  points: rating,
  ...(feedback !== undefined && { feedback }),
});

/** -> the message for an event; undefined for an event that is not reported */
export function syncMessageOf({
  event,
  data,
  timestamp,
  happening,
}: SyncOutEvent): { readonly kind: SyncEvent; readonly message: SyncMessage } | undefined {
  const time = new Date(timestamp).toISOString();
  const messageFor = (
    kind: SyncEvent,
    name: string,
    identity: readonly unknown[],
    fields: Partial<SyncMessage> = {},
  ) => ({
    kind,
    message: {
      id: hashedName("told", JSON.stringify([name, ...identity])),
      event: name,
      time,
      ...subjectOf(data),
      ...fields,
    },
  });
  if (happening)
    return happening.kind === "rated"
      ? messageFor("Ratings", "conversation.rated", [happening.conversation_id, happening.interaction_id], {
          rating: ratingOf(happening),
        })
      : undefined;

  const changes = data.changes?.model_changes;
  const { user, conversation } = data;
  if (event === "onUserCreate" && user) return messageFor("New customers", "user.created", [user.id]);
  if (event === "onUserUpdate" && user && changes)
    return messageFor("Changed customers", "user.updated", [user.id, user.updated_time, changes], { changes });
  if (event === "onConversationUpdate" && conversation && changes?.["status"]?.[1] === "resolved")
    return messageFor("Resolved conversations", "conversation.resolved", [
      conversation.conversation_id,
      conversation.interaction_id,
      timestamp,
    ]);
  return undefined;
}
