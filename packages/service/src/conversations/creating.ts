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
import type { Directory } from "../accounts/directory.ts";
import type { Account } from "../http/slice.ts";
import { isUuid } from "../http/uuid.ts";
import type { Claim } from "../idempotency/claim.ts";
import { assignmentOf, withOrgIds } from "./assignment.ts";
import { beginningText, hasProperties } from "./conversation.ts";
import type { Draft, Drafts } from "./draft.ts";
import { interactionId } from "./interaction.ts";
import type { opening as openings } from "./opening.ts";
import { checkRequired, defaultProperties, propertiesText, withProperties } from "./properties.ts";
import { BEGINNING, type State, transition, turnOf } from "./transitions.ts";

export interface CreatingDeps {
  readonly directory: Directory;
  readonly drafts: Drafts;
  readonly begin: ReturnType<typeof openings>;
  readonly nextNumber: () => Promise<number>;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** @assumed The status new says nothing of its own on create: with an agent the conversation begins as assigned. */
const stateOf = async (directory: Directory, accountId: number, given: NewConversation): Promise<State> => {
  const status = given.status === "new" ? undefined : given.status;
  const named = await withOrgIds(directory, accountId, given);
  return transition(BEGINNING, { status, ...(await assignmentOf(directory, accountId, named, BEGINNING)) });
};

const propertiesOf = async (directory: Directory, account: Account, given: NewConversation, state: State) => {
  if (!hasProperties(account)) {
    if (given.properties) refuse(INVALID_PROPERTY, "Conversations of a stand-alone account have no properties.");
    return {};
  }
  const fields = await directory.fields(account.id);
  const properties = withProperties(fields, { ...defaultProperties(fields), ...given.properties });
  if (state.status === "resolved") checkRequired(fields, properties);
  return properties;
};

/** What the rules for a message begin with when they name a member of it. */
const MEMBER = /^(?:actor_id|actor_type|message_parts|message_type|reply_parts|user_id)\b/;

/** Says of a refusal which of the messages it is about. */
const inMessage =
  (index: number) =>
  (error: unknown): never => {
    if (!isRefusal(error)) throw error;
    const place = `messages[${index}]${MEMBER.test(error.message) ? "." : ": "}`;
    return refuse(error.problem, `${place}${error.message}`, error.retryAfter);
  };

const checkAgainstUser = (index: number, draft: Draft, userId: string) => {
  if (draft.actor_type === "user" && draft.actor_id !== userId)
    refuse(INVALID_ACTOR, `messages[${index}].actor_id must be the user that users names.`);
  if (draft.replyTo !== undefined)
    refuse(
      INVALID_REPLY_TARGET,
      `messages[${index}].in_reply_to names no message: the conversation is only beginning.`,
    );
};

/**
 * Starts a conversation; one bad message refuses all of it. -> what is answered, as JSON text
 * @spec Endpoints > Conversations
 */
export const creating =
  ({ directory, drafts, begin, nextNumber, now, newId }: CreatingDeps) =>
  async (account: Account, given: NewConversation, claim?: Claim): Promise<string> => {
    const channel = await directory.channel(account.id, given.channel_id);
    if (!channel) return refuse(CHANNEL_NOT_FOUND);
    const userId = given.users[0]?.id.toLowerCase();
    if (userId === undefined || !isUuid(userId)) return refuse(USER_NOT_FOUND);
    const state = await stateOf(directory, account.id, given);
    const properties = await propertiesOf(directory, account, given, state);
    const first: Draft[] = [];
    for (const [index, message] of given.messages.entries()) {
      const draft = await drafts.check(account, message).catch(inMessage(index));
      checkAgainstUser(index, draft, userId);
      first.push(draft);
    }
    const [opening, ...others] = first;
    if (!opening) return refuse(MISSING_PARAMETER, "messages must hold at least one message.");
    const turn = turnOf(BEGINNING, state);
    const number = await nextNumber();
    const textOf = await beginningText(directory, account, state);
    const beginning = {
      conversation: {
        ...state,
        restricted: first.findLast(({ restricts }) => restricts !== undefined)?.restricts ?? false,
        id: newId(),
        account_id: account.id,
        number,
        user_id: userId,
        channel_id: channel.id,
        interaction_id: interactionId(number, now()),
        properties: propertiesText(properties),
      },
      by: opening,
      drafts: [opening, ...others, ...(turn ? [drafts.ofTurn(account, turn)] : [])],
      answer: claim && { claim, textOf },
    };
    const writer = first.find(({ actor_type }) => actor_type === "user");
    return textOf((await begin(account, beginning, writer)) ?? refuse(USER_NOT_FOUND));
  };
