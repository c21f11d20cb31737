import type { Changes, ConversationInEvent, User } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import type { SyncEvent } from "./settings.ts";
import { shortName } from "./hashed-name.ts";
import type { UseCaseEvent } from "./use-case.ts";

type Rated = Extract<UseCaseEvent, { readonly kind: "rated" }>;
type ToldUser = Omit<User, "restore_id">;
type ToldConversation = Omit<ConversationInEvent, "messages">;

/** The message to another system. */
export interface SyncMessage {
  /** Id of the message, equal for repeated messages. */
  readonly id: string;
  /** Name of the event, such as user.created. */
  readonly event: string;
  /** ISO 8601. */
  readonly time: string;
  readonly user?: ToldUser;
  readonly channel?: { readonly id: string; readonly name: string };
  readonly conversation?: ToldConversation;
  readonly rating?: { readonly points: number; readonly feedback?: string };
  /** [old, new] by field. */
  readonly changes?: Changes["model_changes"];
}

export type SyncOutEvent = EventPayload & { readonly happening?: UseCaseEvent };

/** A conversation's own members, and its customer. The restore_id is omitted: anyone who presents it is treated as the customer. */
const membersOf = ({ associations, ...data }: EventPayload["data"]) => {
  const { restore_id: _restore_id, ...user } = (data.user ?? associations.user ?? {}) as Partial<User>;
  const { messages: _messages, ...conversation } = (data.conversation ??
    data.message ??
    {}) as Partial<ConversationInEvent>;
  const { channel } = associations;
  return {
    ...(user.id !== undefined && { user: user as ToldUser }),
    ...(channel && { channel: { id: channel.id, name: channel.name } }),
    ...(conversation.conversation_id !== undefined && { conversation: conversation as ToldConversation }),
  };
};

const ratingOf = ({ rating, feedback }: Rated): SyncMessage["rating"] => ({
  points: rating,
  ...(feedback !== undefined && { feedback }),
});

/** -> the message for an event; undefined for an event that is not reported */
export function syncMessageOf({
  event,
  data,
  timestamp,
  happening,
}: SyncOutEvent): { readonly of: SyncEvent; readonly telling: SyncMessage } | undefined {
  const time = new Date(timestamp).toISOString();
  const telling = (of: SyncEvent, name: string, identity: readonly unknown[], more: Partial<SyncMessage> = {}) => ({
    of,
    telling: {
      id: shortName("told", JSON.stringify([name, ...identity])),
      event: name,
      time,
      ...membersOf(data),
      ...more,
    },
  });
  if (happening)
    return happening.kind === "rated"
      ? telling("Ratings", "conversation.rated", [happening.conversation_id, happening.interaction_id], {
          rating: ratingOf(happening),
        })
      : undefined;

  const changes = data.changes?.model_changes;
  const { user, conversation } = data;
  if (event === "onUserCreate" && user) return telling("New customers", "user.created", [user.id]);
  if (event === "onUserUpdate" && user && changes)
    return telling("Changed customers", "user.updated", [user.id, user.updated_time, changes], { changes });
  if (event === "onConversationUpdate" && conversation && changes?.["status"]?.[1] === "resolved")
    return telling("Resolved conversations", "conversation.resolved", [
      conversation.conversation_id,
      conversation.interaction_id,
      timestamp,
    ]);
  return undefined;
}
