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
import { turns } from "../idempotency/turns.ts";
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

/** How long a change waits for those before it in this process; then it competes with them. @units milliseconds */
const TURN_PATIENCE_MS = 5_000;

/**
 * Updates a conversation; a change that asks for nothing new writes nothing. A change that loses a race for the conversation is decided again
 * on the state that the other one left: changes of different properties, and a property beside a status, all take effect; of one property
 * the last value does. Changes of one conversation take turns in a process, so that the work of many grows with their number and none of
 * them runs out of tries.
 * @spec Endpoints > Conversations
 * @errors CONFLICT when the status or the assignment that this change would make was changed in another way meanwhile
 * @assumed An update is the system's deed: the caller of the API is no person. Properties alone make no event.
 */
export const changing = ({ directory, drafts, find, writing, now }: ChangingDeps) => {
  const inTurn = turns<ConversationRow>(TURN_PATIENCE_MS);

  /** -> undefined when a race was lost. */
  const decide = async (
    account: Account,
    given: ConversationChange,
    first: ConversationRow,
    conversation: ConversationRow,
  ): Promise<ConversationRow | undefined> => {
    const assignment = await assignmentOf(directory, account.id, given, conversation);
    const next = transition(conversation, { status: given.status, ...assignment });
    if (changesText(first, conversation) !== null && !isSameState(conversation, next)) refuse(CONFLICT);
    const properties = await propertiesAfter(directory, account, conversation, next, given.properties);
    if (isSameState(conversation, next) && properties === conversation.properties) return conversation;
    const written = await writing.change({
      ...turned({ drafts, now }, account, conversation, next),
      properties,
      actor_type: "system",
      actor_id: null,
    });
    return written?.conversation;
  };

  return async (account: Account, id: string, given: ConversationChange): Promise<ConversationRow> => {
    const read = async () => (await find(account.id, id)) ?? refuse(CONVERSATION_NOT_FOUND);
    const first = await read();
    const change = async (before: ConversationRow | undefined): Promise<ConversationRow> => {
      // The one before may have found nothing to change on an older reading than this one's own.
      let conversation = before && before.revision > first.revision ? before : first;
      for (let tries = 0; tries < TRIES; tries++) {
        const changed = await decide(account, given, first, conversation);
        if (changed) return changed;
        conversation = await read();
      }
      return refuse(CONFLICT);
    };
    const changed = await inTurn.take(first.id, change);
    return changed === "busy" ? change(undefined) : changed;
  };
};
