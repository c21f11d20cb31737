import {
  CHANNEL_NOT_FOUND,
  CONVERSATION_NOT_FOUND,
  INVALID_MESSAGE_PARTS,
  INVALID_VALUE,
  isRefusal,
  MESSAGE_NOT_FOUND,
  messengerConversations,
  refuse,
  THREAD_PAGE_SIZE,
  TOO_MANY_REQUESTS,
  UNAUTHENTICATED,
  USER_NOT_FOUND,
  type Message,
  type NewMessage,
  type NewMessengerMessage,
} from "@parley/contract";
import type { AddressSigner } from "../../base/objects/signed-addresses.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import {
  defineRoutes,
  rawJson,
  type ApiCaller,
  type CallerAccount,
  type RouteHandlers,
} from "../../http/route-handlers.ts";
import { serializerOf } from "../../http/serializer.ts";
import { isUuid } from "../../http/uuid.ts";
import type { WindowLimit } from "../../identity/allowance/window-limit.ts";
import type { Conversations } from "../../messaging/conversations/conversations.ts";
import { hasProperties } from "../../messaging/conversations/conversation.ts";
import { acceptedProperties } from "../../messaging/conversations/properties.ts";
import type { WrittenConversation } from "../../messaging/conversations/conversation-writer.ts";
import type { createRate } from "../../messaging/csat/routes.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { Topics } from "../configuration/topics.ts";
import { ownMessage } from "../shapes/message.ts";
import { sessionVisitor, writingVisitor } from "../visitors/session-visitor.ts";
import type { ConversationReader } from "./reader.ts";
import { payloadsOf, visitorParts } from "./visitor-parts.ts";

interface ConversationRoutesDeps {
  readonly reader: ConversationReader;
  readonly conversations: Pick<Conversations, "add" | "composer" | "create" | "findId">;
  readonly rate: ReturnType<typeof createRate>;
  readonly directory: Pick<Directory, "fields">;
  readonly topics: Pick<Topics, "find">;
  readonly addresses: Pick<AddressSigner, "targetOf">;
  /** Counts the messages of visitors. */
  readonly messageLimit: WindowLimit;
}

const { reply: begun } = messengerConversations.beginMessengerConversation;
const begunJson = serializerOf(begun.body);
const messageJson = serializerOf(messengerConversations.sendMessengerMessage.reply.body);

/** JSON text of the reply to a message that is stored as this JSON text. */
const sentMessageJson = (stored: string): string => messageJson(ownMessage(JSON.parse(stored) as Message));

/** JSON text of the reply to a new conversation. Nobody has read, rated or taken it. */
const begunConversationJson = ({ conversation, texts }: WrittenConversation): string => {
  const messages = texts.map((text) => ownMessage(JSON.parse(text) as Message));
  const last_message = messages.at(-1);
  return begunJson({
    conversation: {
      id: conversation.id,
      topic_id: conversation.channel_id,
      status: conversation.status,
      is_latest: true,
      created_time: conversation.created_time.toISOString(),
      unread_count: 0,
      interaction_id: conversation.interaction_id,
      is_rated: false,
      ...(last_message && { last_message }),
    },
    messages,
  });
};

/** The session outlives its user for a moment. */
const refuseDeleted = (error: unknown): never => {
  if (isRefusal(error) && error.problem.status === USER_NOT_FOUND.status)
    refuse(UNAUTHENTICATED, "The visitor's user was deleted, which has ended the session. Begin a new session.");
  throw error;
};

/** Visitors write and read through the same rules as the API, in conversations of their own. */
export const messengerConversationRoutes = (deps: ConversationRoutesDeps) => {
  const { reader, rate, directory, topics, addresses, messageLimit } = deps;
  const { add, composer, create, findId } = deps.conversations;

  /** @errors VISITOR_BLOCKED, TOO_MANY_REQUESTS, INVALID_MESSAGE_PARTS */
  const newMessage = (caller: ApiCaller, { message_parts, in_reply_to, payload }: NewMessengerMessage): NewMessage => {
    const { userId } = writingVisitor(caller);
    const { allowed, reset } = messageLimit(userId);
    if (!allowed)
      refuse(
        TOO_MANY_REQUESTS,
        "The visitor sends more messages than the limit. Retry after the time in the Retry-After header.",
        reset,
      );
    return {
      actor_type: "user",
      actor_id: userId,
      message_parts: visitorParts(addresses, caller.account.id, message_parts),
      ...(in_reply_to && { in_reply_to }),
      ...(payload !== undefined && { meta_data: { payload } }),
    };
  };

  /**
   * Apps act on payloads: only one that the answered message offers is accepted.
   * @errors INVALID_MESSAGE_PARTS
   */
  const checkPayload = async (
    accountId: number,
    conversationId: string | undefined,
    { payload, in_reply_to }: NewMessengerMessage,
  ): Promise<void> => {
    if (payload === undefined) return;
    const message_id = in_reply_to?.message_id ?? "";
    const answered =
      conversationId !== undefined && isUuid(message_id)
        ? await reader.message(accountId, conversationId, message_id.toLowerCase())
        : undefined;
    if (!payloadsOf(answered?.reply_parts ?? []).includes(payload))
      refuse(INVALID_MESSAGE_PARTS, "payload must be that of a button of the message that in_reply_to names.");
  };

  const idOf = async ({ id }: CallerAccount, text: string): Promise<string> =>
    (await findId(id, text)) ?? refuse(CONVERSATION_NOT_FOUND);

  const handlers: RouteHandlers<typeof messengerConversations> = {
    async listMessengerConversations({ caller }) {
      return { conversations: await reader.list(caller.account.id, sessionVisitor(caller).userId) };
    },

    async beginMessengerConversation({ caller, body, claim }) {
      const { account } = caller;
      const message = newMessage(caller, body.message);
      await checkPayload(account.id, undefined, body.message);
      const channel = (await topics.find(account.id, body.topic_id)) ?? refuse(CHANNEL_NOT_FOUND);
      const users = [{ id: sessionVisitor(caller).userId }];
      const properties =
        body.properties && hasProperties(account)
          ? acceptedProperties(await directory.fields(account.id), body.properties)
          : undefined;
      const conversation = { channel_id: channel.id, users, messages: [message], ...(properties && { properties }) };
      const textOf = begunConversationJson;
      // Without the caller's other members: the rules are those of a message by the user.
      return rawJson(await create({ account }, conversation, claim, textOf).catch(refuseDeleted));
    },

    async listMessengerMessages({ caller, params, query }) {
      const { before, after, limit = THREAD_PAGE_SIZE.default } = query;
      if (before !== undefined && after !== undefined) refuse(INVALID_VALUE, "Give at most one of before, after.");
      const accountId = caller.account.id;
      const conversationId = await idOf(caller.account, params.conversation_id);
      const anchor = (before ?? after)?.toLowerCase();
      if (anchor !== undefined && !isUuid(anchor)) refuse(MESSAGE_NOT_FOUND);
      const side = after === undefined ? "before" : "after";
      const part =
        (await reader.part({ accountId, conversationId, side, anchor, limit })) ??
        refuse(anchor === undefined ? CONVERSATION_NOT_FOUND : MESSAGE_NOT_FOUND);
      return {
        messages: [...part.messages],
        // The message of `before` or `after` itself is beyond the page.
        has_older: side === "after" || part.hasMore,
        has_newer: side === "before" ? before !== undefined : part.hasMore,
      };
    },

    async sendMessengerMessage({ caller, params, body, claim }) {
      const { account } = caller;
      const draft = await composer.compose(account, newMessage(caller, body));
      const id = await idOf(account, params.conversation_id);
      await checkPayload(account.id, id, body);
      return rawJson(sentMessageJson(await add(account, id, draft, claim).catch(refuseDeleted)));
    },

    async rateMessengerConversation({ caller, params, body, claim }) {
      writingVisitor(caller);
      const { account } = caller;
      const id = await idOf(account, params.conversation_id);
      const rated = async (db?: Parameters<IdempotencyRecord["recordReply"]>[0]) =>
        (await reader.one(account.id, id, db)) ?? refuse(CONVERSATION_NOT_FOUND);
      // The recorded reply is the conversation, as it is in the transaction of the rating.
      const record: IdempotencyRecord | undefined = claim && {
        ...claim,
        recordReply: async (tx, _rating, about) => claim.recordReply(tx, await rated(tx), about),
      };
      await rate(account, id, body, record).catch(refuseDeleted);
      return rated();
    },
  };
  return defineRoutes(messengerConversations, handlers, { replyOfMessage: { sendMessengerMessage: sentMessageJson } });
};
