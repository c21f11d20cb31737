import type { Db } from "@parley/database";
import type { Account } from "../http/slice.ts";
import { turned } from "./changing.ts";
import type { Drafts } from "./draft.ts";
import type { ConversationRow } from "./store.ts";
import { transition } from "./transitions.ts";
import type { Written } from "./batch.ts";
import type { Writing } from "./writing.ts";

export interface ReopeningDeps {
  readonly drafts: Drafts;
  readonly writing: Pick<Writing, "changeWith">;
  readonly now: () => Date;
}

/**
 * Reopens a resolved conversation together with what is the reason for it, in one transaction.
 * -> what `more` answered; undefined when the conversation was no longer as given, and nothing was written
 */
export type Reopen = <T>(
  account: Account,
  conversation: ConversationRow,
  more: (tx: Db, written: Written) => Promise<T>,
) => Promise<T | undefined>;

export const reopening =
  ({ drafts, writing, now }: ReopeningDeps): Reopen =>
  (account, conversation, more) =>
    writing.changeWith(
      {
        ...turned({ drafts, now }, account, conversation, transition(conversation, { status: "reopened" })),
        properties: conversation.properties,
        actor_type: "system",
        actor_id: null,
      },
      more,
    );
