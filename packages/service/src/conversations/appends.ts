import { groupCommit, type GroupCommit } from "@parley/database";
import { AnswerKept, type Claim } from "../idempotency/claim.ts";
import type { Batches } from "./batch.ts";
import { appendMessages, type Target } from "./db/append.ts";
import type { Draft } from "./draft.ts";
import type { ConversationRow } from "./store.ts";

/** A message for a conversation whose state it leaves as it is. */
export interface Addition {
  readonly conversation: ConversationRow;
  readonly draft: Draft;
  /** Its answer is the message. */
  readonly claim?: Claim | undefined;
}

/** The conversations of a batch, each in the newest revision that an addition knows. */
const targetsOf = (additions: readonly Addition[]): ReadonlyMap<string, Target> => {
  const targets = new Map<string, Target>();
  for (const { conversation, draft } of additions) {
    const { id, revision } = conversation;
    const known = targets.get(id);
    const byUser = draft.actor_type === "user" || known?.byUser === true;
    targets.set(id, { id, revision: Math.max(revision, known?.revision ?? 0), byUser });
  }
  return targets;
};

/** -> the message's JSON text; undefined when the conversation was no longer as given, and nothing was written. @errors AnswerKept */
export const appends = ({ db, stamp, place, wake }: Batches): GroupCommit<Addition, string | undefined> =>
  groupCommit<Addition, string | undefined>({
    async run(additions) {
      const time = stamp();
      const targets = targetsOf(additions);
      const said = additions.map(({ conversation, draft, claim }) =>
        targets.get(conversation.id)?.revision === conversation.revision
          ? { ...place(conversation, { draft, interaction_id: conversation.interaction_id }, time), claim }
          : undefined,
      );
      const present = said.filter((message) => message !== undefined);
      const ids = await appendMessages(db, time.text, [...targets.values()], present);
      wake();
      return said.map((message) => {
        if (message?.claim && ids.has(message.id)) return new AnswerKept();
        return message && ids.has(message.conversation_id) ? message.text : undefined;
      });
    },
  });
