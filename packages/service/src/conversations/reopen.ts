import type { Db } from "@parley/database";
import type { CallerAccount } from "../http/route-handlers.ts";
import { stateChange } from "./change.ts";
import type { MessageComposer } from "./unsaved-message.ts";
import type { ConversationRow } from "./store.ts";
import { stateAfterUpdate } from "./transitions.ts";
import type { WrittenConversation, ConversationWriter } from "./conversation-writer.ts";

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
