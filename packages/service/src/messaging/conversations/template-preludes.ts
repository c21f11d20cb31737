import { hasSqlState, SQLSTATE } from "@parley/database";
import type { CallerAccount } from "../../http/route-handlers.ts";
import { isReplyRecorded, type IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import type { MessageComposer } from "./compose-message.ts";
import type { PendingReplies, UnsavedMessage } from "./unsaved-message.ts";
import type { ConversationRow } from "./store.ts";
import type { ConversationWriter } from "./conversation-writer.ts";

interface TemplatePreludesDeps {
  readonly pendingReplies: PendingReplies;
  readonly composer: Pick<MessageComposer, "composeTemplateMessage">;
  readonly writer: Pick<ConversationWriter, "append">;
}

/**
 * Template messages that are written before a user's message. Each is written once: the message reuses the template
 * message's id, which is unique in the table.
 */
export interface TemplatePreludes {
  /** -> empty for actors other than users. */
  pendingFor(
    account: CallerAccount,
    author: Pick<UnsavedMessage, "actor_type" | "actor_id">,
  ): Promise<readonly UnsavedMessage[]>;
  /** Appends a message after its preludes. -> its JSON text; undefined if the conversation was changed meanwhile */
  append(
    conversation: ConversationRow,
    first: readonly UnsavedMessage[],
    draft: UnsavedMessage,
    claim: IdempotencyRecord | undefined,
  ): Promise<string | undefined>;
  /** Marks the preludes as written to their conversation. */
  markWritten(first: readonly UnsavedMessage[]): Promise<void>;
}

const NO_MESSAGES: readonly UnsavedMessage[] = [];

/**
 * A concurrent request has written the same prelude. The caller should read the pending messages again. Compares codes
 * because `instanceof` fails between realms.
 */
export const isPreludeAlreadyWritten = (error: unknown): boolean =>
  hasSqlState(error, SQLSTATE.UNIQUE_VIOLATION) && !isReplyRecorded(error);

export const createTemplatePreludes = ({
  pendingReplies,
  composer,
  writer,
}: TemplatePreludesDeps): TemplatePreludes => {
  const markWritten = async (first: readonly UnsavedMessage[]) => {
    const ids = first.map(({ id }) => id).filter((id) => id !== undefined);
    if (ids.length > 0) await pendingReplies.markWritten(ids);
  };
  return {
    async pendingFor(account, { actor_type, actor_id }) {
      if (actor_type !== "user" || actor_id === null) return NO_MESSAGES;
      const pending = await pendingReplies.listPending(account.id, actor_id);
      return pending.length === 0
        ? NO_MESSAGES
        : pending.map((message) => composer.composeTemplateMessage(account, message));
    },
    async append(conversation, first, draft, claim) {
      if (first.length === 0) return writer.append({ conversation, draft, claim });
      await claim?.assertNotRecorded();
      // Writes submitted in one tick keep their order.
      const appends = first.map((prelude) =>
        writer.append({ conversation, draft: prelude }).then((text) => text !== undefined, isPreludeAlreadyWritten),
      );
      const [text, ...isAppended] = await Promise.all([writer.append({ conversation, draft, claim }), ...appends]);
      await markWritten(first.filter((_, index) => isAppended[index]));
      return text;
    },
    markWritten,
  };
};
