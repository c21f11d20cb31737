import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  INVALID_REPLY_TARGET,
  NOT_LATEST_CONVERSATION,
  refuse,
} from "@parley/contract";
import { createLruCache } from "../../base/concurrency/lru-cache.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import { stateChange } from "./change.ts";
import type { MessageComposer } from "./compose-message.ts";
import type { UnsavedMessage } from "./unsaved-message.ts";
import type { FindConversation } from "./find.ts";
import { isPreludeAlreadyWritten, type TemplatePreludes } from "./template-preludes.ts";
import { WRITE_ATTEMPTS_MAX, type ConversationWriter } from "./conversation-writer.ts";
import { checkUserNotDeleted } from "./deleted-user.ts";
import type { ConversationRow, LoadedConversation } from "./store.ts";
import { stateAfterMessage, isSameState } from "./transitions.ts";

interface AddMessageDeps {
  readonly composer: MessageComposer;
  readonly find: FindConversation;
  readonly preludes: TemplatePreludes;
  readonly writer: Pick<ConversationWriter, "change">;
  readonly now: () => Date;
}

/** Adds a message to a conversation. -> the message's JSON text. */
export type AddMessage = (
  account: CallerAccount,
  conversationId: string,
  draft: UnsavedMessage,
  claim?: IdempotencyRecord,
) => Promise<string>;

/** Capacity of one generation of the conversation cache of a process. */
const CACHED_CONVERSATIONS_MAX = 5_000;

/** @errors INVALID_ACTOR, USER_NOT_FOUND, INVALID_REPLY_TARGET, NOT_LATEST_CONVERSATION */
const checkParticipants = (conversation: LoadedConversation, { actor_type, actor_id, replyTo }: UnsavedMessage) => {
  if (actor_type === "user") {
    if (actor_id !== conversation.user_id) refuse(INVALID_ACTOR, "actor_id must be the user of this conversation.");
    checkUserNotDeleted(conversation);
    if (!conversation.latest) refuse(NOT_LATEST_CONVERSATION);
  }
  if (replyTo !== undefined && conversation.reply_interaction_id === null) refuse(INVALID_REPLY_TARGET);
};

/**
 * Whether a message can be appended to the cached conversation without a change of state. All other messages are decided
 * on a current read.
 */
const leavesStateUnchanged = (
  { account_id, user_id, status, restricted }: ConversationRow,
  { id }: CallerAccount,
  { actor_type, actor_id, restricts, replyTo }: UnsavedMessage,
): boolean =>
  account_id === id &&
  replyTo === undefined &&
  restricts === undefined &&
  (actor_type !== "user" || (actor_id === user_id && status !== "resolved" && !restricted));

/**
 * Decides on the conversation as read and writes on condition that it is unchanged (optimistic concurrency). A lost race
 * is retried on a new read. The same condition makes it safe to start from a cached conversation.
 * @errors CONVERSATION_NOT_FOUND, RESPONSE_RESTRICTED, CONFLICT after WRITE_ATTEMPTS_MAX lost races, and those of
 * checkParticipants
 */
export const createAddMessage = ({ composer, find, preludes, writer, now }: AddMessageDeps): AddMessage => {
  const cache = createLruCache<ConversationRow>(CACHED_CONVERSATIONS_MAX);

  /** -> undefined after a lost race. */
  const decide = async (
    account: CallerAccount,
    conversation: LoadedConversation,
    first: readonly UnsavedMessage[],
    draft: UnsavedMessage,
    claim: IdempotencyRecord | undefined,
  ) => {
    checkParticipants(conversation, draft);
    const next = stateAfterMessage(conversation, {
      actor_type: draft.actor_type,
      restricts: draft.restricts,
      answersInteraction: conversation.reply_interaction_id === conversation.interaction_id,
    });
    if (isSameState(conversation, next)) {
      cache.set(conversation.id, conversation);
      return preludes.append(conversation, first, draft, claim);
    }
    await claim?.assertNotRecorded();
    const change = stateChange({ composer, now }, account, conversation, next);
    const { interaction_id } = change;
    const written = await writer.change({
      ...change,
      messages: [...change.messages, ...[...first, draft].map((each) => ({ draft: each, interaction_id }))],
      properties: conversation.properties,
      actor_type: draft.actor_type,
      actor_id: draft.actor_id,
      claim,
    });
    if (written) await preludes.markWritten(first);
    return written?.texts.at(-1);
  };

  return async (account, id, draft, claim) => {
    let first = await preludes.pendingFor(account, draft);
    const cached = cache.get(id);
    if (cached && leavesStateUnchanged(cached, account, draft)) {
      const text = await preludes.append(cached, first, draft, claim);
      if (text !== undefined) return text;
    }
    for (let attempt = 0; attempt < WRITE_ATTEMPTS_MAX; attempt++) {
      const conversation = (await find(account.id, id, draft.replyTo)) ?? refuse(CONVERSATION_NOT_FOUND);
      try {
        const text = await decide(account, conversation, first, draft, claim);
        if (text !== undefined) return text;
      } catch (error) {
        if (!isPreludeAlreadyWritten(error)) throw error;
        first = await preludes.pendingFor(account, draft);
      }
    }
    return refuse(CONFLICT);
  };
};
