import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  INVALID_REPLY_TARGET,
  NOT_LATEST_CONVERSATION,
  refuse,
} from "@parley/contract";
import type { Account } from "../http/slice.ts";
import { turned } from "./changing.ts";
import type { Draft, Drafts } from "./draft.ts";
import type { Find } from "./finding.ts";
import type { FoundConversation } from "./store.ts";
import { afterMessage, isSameState } from "./transitions.ts";
import type { Writing } from "./writing.ts";

export interface AddingDeps {
  readonly drafts: Drafts;
  readonly find: Find;
  readonly writing: Pick<Writing, "append" | "change">;
  readonly now: () => Date;
}

/** Adds a message to a conversation. -> its JSON text. */
export type Add = (account: Account, conversationId: string, draft: Draft) => Promise<string>;

/** How often a message that lost a race is decided anew. */
const TRIES = 8;

/** @errors INVALID_ACTOR, INVALID_REPLY_TARGET, NOT_LATEST_CONVERSATION */
const checkPlace = (conversation: FoundConversation, { actor_type, actor_id, replyTo }: Draft) => {
  if (actor_type === "user") {
    if (conversation.user_deleted || actor_id !== conversation.user_id)
      refuse(INVALID_ACTOR, "actor_id must be the user of this conversation.");
    if (!conversation.latest) refuse(NOT_LATEST_CONVERSATION);
  }
  if (replyTo !== undefined && conversation.reply_interaction_id === null) refuse(INVALID_REPLY_TARGET);
};

/**
 * Decides on the conversation as it is and writes on condition that it still is; who lost that race reads it again.
 * @errors CONVERSATION_NOT_FOUND, RESPONSE_RESTRICTED, CONFLICT after many lost races, and those of checkPlace
 */
export const adding =
  ({ drafts, find, writing, now }: AddingDeps): Add =>
  async (account, id, draft) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const conversation = (await find(account.id, id, draft.replyTo)) ?? refuse(CONVERSATION_NOT_FOUND);
      checkPlace(conversation, draft);
      const next = afterMessage(conversation, {
        ...draft,
        answersInteraction: conversation.reply_interaction_id === conversation.interaction_id,
      });
      if (isSameState(conversation, next)) {
        const text = await writing.append({ conversation, draft });
        if (text !== undefined) return text;
        continue;
      }
      const change = turned({ drafts, now }, account, conversation, next);
      const written = await writing.change({
        ...change,
        messages: [...change.messages, { draft, interaction_id: change.interaction_id }],
        properties: conversation.properties,
        actor_type: draft.actor_type,
        actor_id: draft.actor_id,
      });
      const text = written?.texts.at(-1);
      if (text !== undefined) return text;
    }
    return refuse(CONFLICT);
  };
