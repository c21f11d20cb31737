import type { ApiCaller, CallerAccount } from "../../http/route-handlers.ts";
import type { WrittenConversation, ConversationWriter, NewConversationWrite } from "./conversation-writer.ts";
import type { MessageComposer } from "./compose-message.ts";
import type { UnsavedMessage } from "./unsaved-message.ts";
import { isPreludeAlreadyWritten, type TemplatePreludes } from "./template-preludes.ts";
import {
  CHANNEL_NOT_FOUND,
  INVALID_ACTOR,
  INVALID_PROPERTY,
  INVALID_REPLY_TARGET,
  isRefusal,
  MISSING_PARAMETER,
  type NewConversation,
  refuse,
  USER_NOT_FOUND,
} from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import { isUuid } from "../../http/uuid.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import { resolveAssignment, resolveOrgIds } from "./assignment.ts";
import { conversationJson, hasProperties, interactionIdFrom } from "./conversation.ts";
import { checkRequired, defaultProperties, propertiesText, withProperties } from "./properties.ts";
import { INITIAL_STATE, type ConversationState, stateAfterUpdate, systemMessageOf } from "./transitions.ts";

interface CreateWithPreludesDeps {
  readonly preludes: Pick<TemplatePreludes, "pendingFor" | "markWritten">;
  readonly writer: Pick<ConversationWriter, "create">;
}

/**
 * Maximum attempts with preludes. After that the conversation is created without them: concurrent requests have written
 * them elsewhere.
 */
const PRELUDE_ATTEMPTS_MAX = 4;

/**
 * Creates a conversation. The template messages that `userMessage` replies to are written before its first messages.
 * -> the requested messages only; undefined if the user does not exist
 */
export const createConversationWithPreludes =
  ({ preludes, writer }: CreateWithPreludesDeps) =>
  async (
    account: CallerAccount,
    conversationWrite: NewConversationWrite,
    userMessage: UnsavedMessage | undefined,
  ): Promise<WrittenConversation | undefined> => {
    const { messages, answer } = conversationWrite;
    for (let attempt = 0; ; attempt++) {
      const first =
        userMessage && attempt < PRELUDE_ATTEMPTS_MAX ? await preludes.pendingFor(account, userMessage) : [];
      const requestedMessages = (written: WrittenConversation) => ({
        ...written,
        texts: written.texts.slice(first.length),
      });
      try {
        const written = await writer.create({
          ...conversationWrite,
          messages: [...first, ...messages],
          answer: answer && { ...answer, textOf: (written) => answer.textOf(requestedMessages(written)) },
        });
        if (written) await preludes.markWritten(first);
        return written && requestedMessages(written);
      } catch (error) {
        if (first.length === 0 || !isPreludeAlreadyWritten(error)) throw error;
      }
    }
  };

/**
 * Allocates conversation numbers from blocks that `take` reserves, one statement per block. The rest of a block is lost
 * when the process ends.
 */
export const createNumberAllocator = (take: () => Promise<number>, size: number): (() => Promise<number>) => {
  let next = 0;
  let end = 0;
  let taking: Promise<void> | undefined;
  const refill = async () => {
    const first = await take();
    next = first;
    end = first + size;
  };
  return async () => {
    while (next >= end) {
      taking ??= refill().finally(() => {
        taking = undefined;
      });
      await taking;
    }
    return next++;
  };
};

interface CreateConversationDeps {
  readonly directory: Directory;
  readonly composer: MessageComposer;
  readonly writeConversation: ReturnType<typeof createConversationWithPreludes>;
  readonly nextNumber: () => Promise<number>;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** @assumed On creation the status `new` has no effect of its own: with an agent the conversation starts as assigned. */
const stateOf = async (directory: Directory, accountId: number, input: NewConversation): Promise<ConversationState> => {
  const status = input.status === "new" ? undefined : input.status;
  const named = await resolveOrgIds(directory, accountId, input);
  return stateAfterUpdate(INITIAL_STATE, {
    status,
    ...(await resolveAssignment(directory, accountId, named, INITIAL_STATE)),
  });
};

const propertiesOf = async (
  directory: Directory,
  account: CallerAccount,
  input: NewConversation,
  state: ConversationState,
) => {
  if (!hasProperties(account)) {
    if (input.properties) refuse(INVALID_PROPERTY, "Conversations of a stand-alone account have no properties.");
    return {};
  }
  const fields = await directory.fields(account.id);
  const properties = withProperties(fields, { ...defaultProperties(fields), ...input.properties });
  if (state.status === "resolved") checkRequired(fields, properties);
  return properties;
};

/** Matches the messages of rules that begin with the name of a member. */
const MEMBER = /^(?:actor_id|actor_type|message_parts|message_type|reply_parts|user_id)\b/;

/** Prefixes a refusal with the index of the message that caused it. */
const refuseInMessage =
  (index: number) =>
  (error: unknown): never => {
    if (!isRefusal(error)) throw error;
    const place = `messages[${index}]${MEMBER.test(error.message) ? "." : ": "}`;
    return refuse(error.problem, `${place}${error.message}`, error.retryAfter);
  };

const checkAgainstUser = (index: number, draft: UnsavedMessage, userId: string) => {
  if (draft.actor_type === "user" && draft.actor_id !== userId)
    refuse(INVALID_ACTOR, `messages[${index}].actor_id must be the user that users names.`);
  if (draft.replyTo !== undefined)
    refuse(
      INVALID_REPLY_TARGET,
      `messages[${index}].in_reply_to names no message: the conversation is only beginning.`,
    );
};

/**
 * Creates a conversation. One invalid message refuses the whole request. -> JSON text of the reply
 * @shape replyOf: makes that text; the API's representation when absent
 * @spec Endpoints > Conversations
 */
export const createCreateConversation =
  ({ directory, composer, writeConversation, nextNumber, now, newId }: CreateConversationDeps) =>
  async (
    { account, agent }: Pick<ApiCaller, "account" | "agent">,
    input: NewConversation,
    claim?: IdempotencyRecord,
    replyOf?: (written: WrittenConversation) => string,
  ): Promise<string> => {
    const channel = await directory.channel(account.id, input.channel_id);
    if (!channel) return refuse(CHANNEL_NOT_FOUND);
    const userId = input.users[0]?.id.toLowerCase();
    if (userId === undefined || !isUuid(userId)) return refuse(USER_NOT_FOUND);
    const state = await stateOf(directory, account.id, input);
    const properties = await propertiesOf(directory, account, input, state);
    const first: UnsavedMessage[] = [];
    for (const [index, message] of input.messages.entries()) {
      const draft = await composer.compose(account, message, agent).catch(refuseInMessage(index));
      checkAgainstUser(index, draft, userId);
      first.push(draft);
    }
    const [opening, ...others] = first;
    if (!opening) return refuse(MISSING_PARAMETER, "messages must hold at least one message.");
    const statusMessage = systemMessageOf(INITIAL_STATE, state);
    const number = await nextNumber();
    const textOf = replyOf ?? (await conversationJson(directory, account, state));
    const conversationWrite = {
      conversation: {
        ...state,
        restricted: first.findLast(({ restricts }) => restricts !== undefined)?.restricts ?? false,
        id: newId(),
        account_id: account.id,
        number,
        user_id: userId,
        channel_id: channel.id,
        interaction_id: interactionIdFrom(number, now()),
        properties: propertiesText(properties),
      },
      by: opening,
      messages: [opening, ...others, ...(statusMessage ? [composer.composeStatusMessage(account, statusMessage)] : [])],
      answer: claim && { claim, textOf },
    };
    const userMessage = first.find(({ actor_type }) => actor_type === "user");
    return textOf((await writeConversation(account, conversationWrite, userMessage)) ?? refuse(USER_NOT_FOUND));
  };
