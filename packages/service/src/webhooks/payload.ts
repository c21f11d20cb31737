import type { Conversation, Message, WebhookAction, WebhookData, WebhookEvent } from "@parley/contract";
import { accountOf } from "../accounts/account.ts";
import type { Directory } from "../accounts/directory.ts";
import { conversationOf } from "../conversations/conversation.ts";
import type { ConversationEventRow, EventRow } from "../events/db/payload.ts";
import { isOfConversation, userOf } from "../events/payload.ts";
import type { ListedRow } from "../outbound/db/requests.ts";
import { messageAt } from "../outbound/listed.ts";
import { actionsOf, assignmentOf } from "./actions.ts";

export interface SayingDeps {
  readonly directory: Directory;
  /** -> undefined where there is none */
  readonly outboundMessage: (id: string) => Promise<ListedRow | undefined>;
  /** Makes the addresses of uploads in a text work again. */
  readonly fresh: (text: string, accountId: number) => string;
}

/** One delivery, as text. */
export interface Said {
  readonly action: WebhookAction;
  readonly id: string;
  readonly body: string;
}

/** The same at each try: an event may be several actions. @assumed */
const idOf = (eventId: string, action: WebhookAction): string => `${eventId}_${action}`;

const conversationData = async (
  directory: Directory,
  row: ConversationEventRow,
  action: WebhookAction,
): Promise<WebhookData | undefined> => {
  const { account_id: id, account_name: name, configuration, primary_locale, calls_per_hour } = row;
  const account = accountOf({ id, name, configuration, primary_locale, calls_per_hour });
  const { actor_type, interaction_id } = row;
  const actor_id = row.actor_id ?? "";
  if (action === "message_create")
    return row.messages === null ? undefined : { message: JSON.parse(row.messages) as Message };
  const about = { conversation: await conversationOf(directory, account, row), interaction_id };
  if (action === "conversation_reopen") {
    const conversation: Conversation = { ...about.conversation, status: "reopened" };
    return { reopen: { reopener: actor_type, reopener_id: actor_id, ...about, conversation } };
  }
  if (action === "conversation_resolution")
    return { resolve: { resolver: actor_type, resolver_id: actor_id, ...about, user: userOf(row) } };
  const { from, to } = assignmentOf(row);
  return {
    assignment: {
      assignor: actor_type,
      assignor_id: actor_id,
      to_agent_id: to.agent ?? "",
      to_group_id: to.group ?? "",
      from_agent_id: from.agent ?? "",
      from_group_id: from.group ?? "",
      ...about,
    },
  };
};

/** Says what webhooks are told of an event: one delivery for each action that it is, in their order. */
export const saying = ({ directory, outboundMessage, fresh }: SayingDeps) => {
  const dataOf = async (row: EventRow, action: WebhookAction): Promise<WebhookData | undefined> => {
    if (isOfConversation(row)) return conversationData(directory, row, action);
    const message = await outboundMessage(row.entity_id);
    return message && { outbound_message: messageAt(message, row.changes) };
  };

  return async (row: EventRow): Promise<readonly Said[]> => {
    const said = await Promise.all(
      actionsOf(row).map(async (action): Promise<Said[]> => {
        const data = await dataOf(row, action);
        if (!data) return [];
        const event: WebhookEvent = {
          actor: { actor_type: row.actor_type, actor_id: row.actor_id ?? "" },
          action,
          action_time: row.event_time.toISOString(),
          data,
        };
        return [{ action, id: idOf(row.event_id, action), body: fresh(JSON.stringify(event), row.account_id) }];
      }),
    );
    return said.flat();
  };
};
