import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  type ConversationChange,
  INVALID_PROPERTY,
  type Properties,
  refuse,
} from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import type { Account } from "../http/slice.ts";
import { assignmentOf } from "./assignment.ts";
import { changesText } from "./changes.ts";
import { hasProperties } from "./conversation.ts";
import type { Drafts } from "./draft.ts";
import type { Find } from "./finding.ts";
import { interactionId } from "./interaction.ts";
import { TRIES } from "./races.ts";
import { checkRequired, parseProperties, propertiesText, withProperties } from "./properties.ts";
import type { ConversationRow } from "./store.ts";
import { isSameState, type State, transition, turnOf } from "./transitions.ts";
import type { Change } from "./revisions.ts";
import type { Writing } from "./writing.ts";

export interface ChangingDeps {
  readonly directory: Directory;
  readonly drafts: Drafts;
  readonly find: Find;
  readonly writing: Pick<Writing, "change">;
  readonly now: () => Date;
}

/** The conversation's way into another state: a reopening begins an interaction, and both turns are said in the list. */
export const turned = (
  { drafts, now }: Pick<ChangingDeps, "drafts" | "now">,
  account: Account,
  conversation: ConversationRow,
  next: State,
): Pick<Change, "conversation" | "next" | "interaction_id" | "messages"> => {
  const turn = turnOf(conversation, next);
  const interaction_id =
    turn === "isReopen"
      ? interactionId(conversation.number, now(), conversation.interaction_id)
      : conversation.interaction_id;
  const messages = turn ? [{ draft: drafts.ofTurn(account, turn), interaction_id }] : [];
  return { conversation, next, interaction_id, messages };
};

const propertiesAfter = async (
  directory: Directory,
  account: Account,
  before: ConversationRow,
  next: State,
  given: Properties | undefined,
): Promise<string> => {
  if (given && !hasProperties(account))
    refuse(INVALID_PROPERTY, "Conversations of a stand-alone account have no properties.");
  const resolves = turnOf(before, next) === "isResolved";
  if (!hasProperties(account) || (!given && !resolves)) return before.properties;
  const fields = await directory.fields(account.id);
  const properties = withProperties(fields, given ?? {}, parseProperties(before.properties));
  if (resolves) checkRequired(fields, properties);
  return propertiesText(properties);
};

/**
 * Updates a conversation; what asks for nothing new writes nothing. What loses a race for the conversation is decided anew on what the other
 * one left, so that changes of different properties, and a property beside a status, all count; of one property the last value does.
 * @spec Endpoints > Conversations
 * @errors CONFLICT when the status or the assignment that this change would make was changed in another way meanwhile
 * @assumed An update is the system's deed: the caller of the API is no person. Properties alone make no event.
 */
export const changing =
  ({ directory, drafts, find, writing, now }: ChangingDeps) =>
  async (account: Account, id: string, given: ConversationChange): Promise<ConversationRow> => {
    let first: ConversationRow | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const conversation = (await find(account.id, id)) ?? refuse(CONVERSATION_NOT_FOUND);
      const assignment = await assignmentOf(directory, account.id, given, conversation);
      const next = transition(conversation, { status: given.status, ...assignment });
      first ??= conversation;
      if (changesText(first, conversation) !== null && !isSameState(conversation, next)) refuse(CONFLICT);
      const properties = await propertiesAfter(directory, account, conversation, next, given.properties);
      if (isSameState(conversation, next) && properties === conversation.properties) return conversation;
      const written = await writing.change({
        ...turned({ drafts, now }, account, conversation, next),
        properties,
        actor_type: "system",
        actor_id: null,
      });
      if (written) return written.conversation;
    }
    return refuse(CONFLICT);
  };
