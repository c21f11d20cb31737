import type {
  Actor,
  Agent,
  Associations,
  Changes,
  ConversationInEvent,
  EventData,
  EventInStream,
  Group,
  Message,
  User,
} from "@parley/contract";
import { accountOfRow } from "../../messaging/accounts/store.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { toApiChannel, type StoredChannel } from "../../messaging/directory/channel.ts";
import { toApiConversation } from "../../messaging/conversations/conversation.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";
import type { OutboundRequestRow } from "../../messaging/outbound/requests.sql.ts";
import { outboundMessageAt } from "../../messaging/outbound/outbound-message.ts";
import type { ConversationEventRow, EventRow } from "./store.ts";

/** @assumed The version of the payload's shape. */
const VERSION = "1.0.0";

/** @assumed Events do not contain restore_id: it is a bearer secret that authenticates the user. */
export const eventUserOf = (row: EventRow): User => {
  const { restore_id: _secret, ...user } = JSON.parse(row.user_body ?? "{}") as User;
  return user;
};

const personOf = ({ id, first_name, last_name, email, phone, avatar }: Agent | User): Omit<Actor, "type"> => ({
  id,
  ...(first_name !== undefined && { first_name }),
  ...(last_name !== undefined && { last_name }),
  ...(email !== undefined && { email }),
  ...(phone !== undefined && { phone }),
  ...(avatar !== undefined && { avatar }),
});

/** @assumed The actor of an API call without an identity is the system, sub_type `api`. Bots and the system have an empty id. */
const actorOf = ({ actor_type: type, actor_id, actor_body }: EventRow, user: User): Actor => {
  if (type === "user") return { type, ...personOf(user) };
  if (actor_body !== null) return { type, ...personOf(JSON.parse(actor_body) as Agent) };
  return { type, ...(type === "system" && { sub_type: "api" }), id: actor_id ?? "" };
};

const agentOf = (row: ConversationEventRow): Associations["agent"] => {
  const { assigned_agent_id: id, agent_body, agent_email: email } = row;
  if (agent_body !== null) {
    const { first_name, last_name, ...then } = JSON.parse(agent_body) as Agent;
    return { id: then.id, first_name, last_name, email: then.email };
  }
  if (id === null || email === null) return undefined;
  return { id, first_name: row.agent_first_name ?? undefined, last_name: row.agent_last_name ?? undefined, email };
};

const groupOf = ({
  assigned_group_id: id,
  group_body,
  group_name: name,
}: ConversationEventRow): Associations["group"] => {
  if (group_body !== null) return { id: id ?? "", name: (JSON.parse(group_body) as Group).name };
  return id === null || name === null ? undefined : { id, name };
};

const associationsOf = (row: ConversationEventRow, user: User): Associations => {
  const [agent, group] = [agentOf(row), groupOf(row)];
  return {
    ...(row.channel_body !== null && { channel: toApiChannel(JSON.parse(row.channel_body) as StoredChannel) }),
    user,
    ...(group && { group }),
    ...(agent && { agent }),
  };
};

/** The conversation of an event, with the messages of the event. */
const conversationIn = async (
  directory: Directory,
  row: ConversationEventRow,
  account: CallerAccount,
): Promise<ConversationInEvent> => ({
  ...(await toApiConversation(directory, account, row)),
  interaction_id: row.interaction_id,
  ...(row.messages !== null && { messages: JSON.parse(`[${row.messages}]`) as Message[] }),
});

/** Distinguishes events of conversations from those of users. */
export const isOfConversation = (row: EventRow): row is ConversationEventRow => "id" in row && row.id !== null;

const changesIn = ({ changes }: EventRow): Changes | undefined =>
  changes === null ? undefined : (JSON.parse(changes) as Changes);

const dataOf = async (directory: Directory, row: EventRow, account: CallerAccount): Promise<EventData> => {
  const user = eventUserOf(row);
  const actor = actorOf(row, user);
  const changes = changesIn(row);
  const common = { actor, ...(changes && { changes }) };
  if (!isOfConversation(row)) return { ...common, associations: {}, user };
  const conversation = await conversationIn(directory, row, account);
  const about = row.kind === "message_create" ? { message: conversation } : { conversation };
  return { ...common, associations: associationsOf(row, user), ...about };
};

const accountIn = ({ account_id: id, account_name: name, configuration, primary_locale, calls_per_hour }: EventRow) =>
  accountOfRow({ id, name, configuration, primary_locale, calls_per_hour });

const envelopeOf = (row: EventRow, { configuration }: CallerAccount, data: EventInStream["data"]): EventInStream => ({
  id: row.event_id,
  kind: row.kind,
  account_id: row.account_id,
  account: row.account_name,
  domain: configuration.account_domain,
  region: configuration.datacenter,
  timestamp: row.event_time.getTime(),
  version: VERSION,
  data,
});

/** Makes the payload of an event of a conversation or a user. */
export const productEventOf = async (directory: Directory, row: EventRow): Promise<EventInStream> => {
  const account = accountIn(row);
  return envelopeOf(row, account, await dataOf(directory, row, account));
};

/**
 * Makes the payload of a status change of an outbound message. @assumed The provider reported it, which is not a caller of the API: there
 * is no `sub_type`.
 */
export const outboundEventOf = (row: EventRow, message: OutboundRequestRow): EventInStream => {
  const changes = changesIn(row);
  return envelopeOf(row, accountIn(row), {
    actor: { type: row.actor_type, id: row.actor_id ?? "" },
    ...(changes && { changes }),
    associations: {},
    outbound_message: outboundMessageAt(message, row.changes),
  });
};
