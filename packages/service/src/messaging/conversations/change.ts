import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  type ConversationChange,
  INVALID_PROPERTY,
  type Properties,
  refuse,
} from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import type { ApiCaller, CallerAccount } from "../../http/route-handlers.ts";
import { resolveAssignment } from "./assignment.ts";
import {
  modelChangesJson,
  type ConversationWrite,
  type ConversationWriter,
  WRITE_ATTEMPTS_MAX,
  type WrittenConversation,
} from "./conversation-writer.ts";
import { hasProperties, interactionIdFrom } from "./conversation.ts";
import type { MessageComposer } from "./compose-message.ts";
import type { FindConversation } from "./find.ts";
import { createKeyedMutex } from "../../base/concurrency/keyed-mutex.ts";
import { checkRequired, parseProperties, propertiesText, withProperties } from "./properties.ts";
import type { ConversationRow } from "./store.ts";
import { isSameState, type ConversationState, stateAfterUpdate, systemMessageOf } from "./transitions.ts";
import type { Db } from "@parley/database";

/** Tells the streams of the agents who reach a conversation that its properties have changed. Call it after the commit; it does not fail. */
export type NotifyPropertyChange = (accountId: number, conversationId: string) => void;

interface ChangeConversationDeps {
  readonly directory: Directory;
  readonly composer: MessageComposer;
  readonly find: FindConversation;
  readonly writer: Pick<ConversationWriter, "change">;
  readonly notifyPropertyChange: NotifyPropertyChange;
  readonly now: () => Date;
}

/**
 * Builds the write for a change of state. A reopening starts a new interaction; resolving and reopening add a system
 * message.
 */
export const stateChange = (
  { composer, now }: Pick<ChangeConversationDeps, "composer" | "now">,
  account: CallerAccount,
  conversation: ConversationRow,
  next: ConversationState,
): Pick<ConversationWrite, "conversation" | "next" | "interaction_id" | "messages"> => {
  const statusMessage = systemMessageOf(conversation, next);
  const interaction_id =
    statusMessage === "isReopen"
      ? interactionIdFrom(conversation.number, now(), conversation.interaction_id)
      : conversation.interaction_id;
  const messages = statusMessage
    ? [{ draft: composer.composeStatusMessage(account, statusMessage), interaction_id }]
    : [];
  return { conversation, next, interaction_id, messages };
};

const propertiesAfter = async (
  directory: Directory,
  account: CallerAccount,
  before: ConversationRow,
  next: ConversationState,
  input: Properties | undefined,
): Promise<string> => {
  if (input && !hasProperties(account))
    refuse(INVALID_PROPERTY, "Conversations of a stand-alone account have no properties.");
  const resolves = systemMessageOf(before, next) === "isResolved";
  if (!hasProperties(account) || (!input && !resolves)) return before.properties;
  const fields = await directory.fields(account.id);
  const properties = withProperties(fields, input ?? {}, parseProperties(before.properties));
  if (resolves) checkRequired(fields, properties);
  return propertiesText(properties);
};

/**
 * How long a change waits for earlier changes of the same conversation in this process before it competes with them.
 * @units milliseconds
 */
const MUTEX_TIMEOUT_MS = 5_000;

/**
 * Updates a conversation. An update without effect writes nothing. A change that loses a race is decided again on the
 * new state: changes of different properties, or of a property and a status, all take effect; for one property the last
 * value wins. Changes of one conversation are serialized within a process, so that the total work grows linearly and no
 * change exhausts its attempts.
 * @spec Endpoints > Conversations
 * @errors CONFLICT when the status or the assignment was changed to something else meanwhile
 * @assumed An update by a token is attributed to the system because its caller is not a person, one by a session to its agent. A change of
 * properties alone logs no event.
 */
export const createChangeConversation = ({
  directory,
  composer,
  find,
  writer,
  notifyPropertyChange,
  now,
}: ChangeConversationDeps) => {
  const mutex = createKeyedMutex<ConversationRow>(MUTEX_TIMEOUT_MS);

  /** -> undefined after a lost race. */
  const decide = async (
    { account, agent }: Pick<ApiCaller, "account" | "agent">,
    input: ConversationChange,
    first: ConversationRow,
    conversation: ConversationRow,
  ): Promise<ConversationRow | undefined> => {
    const assignment = await resolveAssignment(directory, account.id, input, conversation);
    const next = stateAfterUpdate(conversation, { status: input.status, ...assignment });
    if (modelChangesJson(first, conversation) !== null && !isSameState(conversation, next)) refuse(CONFLICT);
    const properties = await propertiesAfter(directory, account, conversation, next, input.properties);
    if (isSameState(conversation, next) && properties === conversation.properties) return conversation;
    const written = await writer.change({
      ...stateChange({ composer, now }, account, conversation, next),
      properties,
      ...(agent ? { actor_type: "agent", actor_id: agent.id } : { actor_type: "system", actor_id: null }),
    });
    if (written && isSameState(conversation, next)) notifyPropertyChange(account.id, conversation.id);
    return written?.conversation;
  };

  return async (
    caller: Pick<ApiCaller, "account" | "agent">,
    id: string,
    input: ConversationChange,
  ): Promise<ConversationRow> => {
    const read = async () => (await find(caller.account.id, id)) ?? refuse(CONVERSATION_NOT_FOUND);
    const first = await read();
    const change = async (before: ConversationRow | undefined): Promise<ConversationRow> => {
      // The previous holder of the mutex may return a row that is older than this change's own read.
      let conversation = before && before.revision > first.revision ? before : first;
      for (let attempt = 0; attempt < WRITE_ATTEMPTS_MAX; attempt++) {
        const changed = await decide(caller, input, first, conversation);
        if (changed) return changed;
        conversation = await read();
      }
      return refuse(CONFLICT);
    };
    const changed = await mutex.run(first.id, change);
    return changed === "busy" ? change(undefined) : changed;
  };
};

interface ReopenDeps {
  readonly composer: MessageComposer;
  readonly writer: Pick<ConversationWriter, "changeWith">;
  readonly now: () => Date;
}

/**
 * Reopens a resolved conversation together with the rows that cause it, in one transaction.
 * -> the result of `more`; undefined if the conversation was changed meanwhile and nothing was written
 */
export type ReopenConversation = <T>(
  account: CallerAccount,
  conversation: ConversationRow,
  more: (tx: Db, written: WrittenConversation) => Promise<T>,
) => Promise<T | undefined>;

export const createReopenConversation =
  ({ composer, writer, now }: ReopenDeps): ReopenConversation =>
  (account, conversation, more) =>
    writer.changeWith(
      {
        ...stateChange(
          { composer, now },
          account,
          conversation,
          stateAfterUpdate(conversation, { status: "reopened" }),
        ),
        properties: conversation.properties,
        actor_type: "system",
        actor_id: null,
      },
      more,
    );
