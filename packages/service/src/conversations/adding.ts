import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  INVALID_REPLY_TARGET,
  NOT_LATEST_CONVERSATION,
  refuse,
} from "@parley/contract";
import type { Account } from "../http/slice.ts";
import type { Claim } from "../idempotency/claim.ts";
import { turned } from "./changing.ts";
import type { Draft, Drafts } from "./draft.ts";
import type { Find } from "./finding.ts";
import { isThere, type Prefaces } from "./prefaces.ts";
import { TRIES } from "./races.ts";
import { recent } from "./recent.ts";
import type { ConversationRow, FoundConversation } from "./store.ts";
import { afterMessage, isSameState } from "./transitions.ts";
import type { Writing } from "./writing.ts";

export interface AddingDeps {
  readonly drafts: Drafts;
  readonly find: Find;
  readonly prefaces: Prefaces;
  readonly writing: Pick<Writing, "change">;
  readonly now: () => Date;
}

/** Adds a message to a conversation. -> its JSON text. */
export type Add = (account: Account, conversationId: string, draft: Draft, claim?: Claim) => Promise<string>;

/** Conversations that a process remembers. */
const REMEMBERED = 5_000;

/** @errors INVALID_ACTOR, INVALID_REPLY_TARGET, NOT_LATEST_CONVERSATION */
const checkPlace = (conversation: FoundConversation, { actor_type, actor_id, replyTo }: Draft) => {
  if (actor_type === "user") {
    if (conversation.user_deleted || actor_id !== conversation.user_id)
      refuse(INVALID_ACTOR, "actor_id must be the user of this conversation.");
    if (!conversation.latest) refuse(NOT_LATEST_CONVERSATION);
  }
  if (replyTo !== undefined && conversation.reply_interaction_id === null) refuse(INVALID_REPLY_TARGET);
};

/** Whether a message only adds to the conversation as it was remembered; everything else is decided on a fresh reading. */
const onlyAdds = (
  { account_id, user_id, status, restricted }: ConversationRow,
  { id }: Account,
  { actor_type, actor_id, restricts, replyTo }: Draft,
): boolean =>
  account_id === id &&
  replyTo === undefined &&
  restricts === undefined &&
  (actor_type !== "user" || (actor_id === user_id && status !== "resolved" && !restricted));

/**
 * Decides on the conversation as it is and writes on condition that it still is; who lost that race reads it again. The condition also
 * makes it safe to begin with a conversation that is only remembered.
 * @errors CONVERSATION_NOT_FOUND, RESPONSE_RESTRICTED, CONFLICT after many lost races, and those of checkPlace
 */
export const adding = ({ drafts, find, prefaces, writing, now }: AddingDeps): Add => {
  const remembered = recent<ConversationRow>(REMEMBERED);

  /** -> undefined when a race was lost. */
  const decide = async (
    account: Account,
    conversation: FoundConversation,
    first: readonly Draft[],
    draft: Draft,
    claim: Claim | undefined,
  ) => {
    checkPlace(conversation, draft);
    const next = afterMessage(conversation, {
      actor_type: draft.actor_type,
      restricts: draft.restricts,
      answersInteraction: conversation.reply_interaction_id === conversation.interaction_id,
    });
    if (isSameState(conversation, next)) {
      remembered.set(conversation.id, conversation);
      return prefaces.append(conversation, first, draft, claim);
    }
    await claim?.look();
    const change = turned({ drafts, now }, account, conversation, next);
    const { interaction_id } = change;
    const written = await writing.change({
      ...change,
      messages: [...change.messages, ...[...first, draft].map((each) => ({ draft: each, interaction_id }))],
      properties: conversation.properties,
      actor_type: draft.actor_type,
      actor_id: draft.actor_id,
      claim,
    });
    if (written) await prefaces.done(first);
    return written?.texts.at(-1);
  };

  return async (account, id, draft, claim) => {
    let first = await prefaces.of(account, draft);
    const known = remembered.get(id);
    if (known && onlyAdds(known, account, draft)) {
      const text = await prefaces.append(known, first, draft, claim);
      if (text !== undefined) return text;
    }
    for (let tries = 0; tries < TRIES; tries++) {
      const conversation = (await find(account.id, id, draft.replyTo)) ?? refuse(CONVERSATION_NOT_FOUND);
      try {
        const text = await decide(account, conversation, first, draft, claim);
        if (text !== undefined) return text;
      } catch (error) {
        if (!isThere(error)) throw error;
        first = await prefaces.of(account, draft);
      }
    }
    return refuse(CONFLICT);
  };
};
