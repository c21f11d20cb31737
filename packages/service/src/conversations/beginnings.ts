import { groupCommit, type GroupCommit } from "@parley/database";
import type { Claim } from "../idempotency/claim.ts";
import type { Batches, Written } from "./batch.ts";
import { createConversations } from "./db/create.ts";
import type { Draft } from "./draft.ts";
import type { ConversationRow } from "./store.ts";

/** A conversation that is to be; times and revision are the writer's to say. `by`: who began it. */
export interface Beginning {
  readonly conversation: Omit<ConversationRow, "created_time" | "updated_time" | "revision">;
  readonly by: Pick<Draft, "actor_type" | "actor_id">;
  readonly drafts: readonly Draft[];
  /** The answer that is to be kept. */
  readonly answer?: { readonly claim: Claim; readonly textOf: (written: Written) => string } | undefined;
}

/** -> undefined when there is no such user, and nothing was written. */
export const beginnings = ({ db, newId, stamp, place, wake }: Batches): GroupCommit<Beginning, Written | undefined> =>
  groupCommit({
    async run(items) {
      const time = stamp();
      const planned = items.map(({ conversation, by: { actor_type, actor_id }, drafts, answer }) => {
        const { interaction_id } = conversation;
        const said = drafts.map((draft) => place(conversation, { draft, interaction_id }, time));
        const message_id = said.at(-1)?.id ?? null;
        const written: Written = {
          conversation: { ...conversation, created_time: time.date, updated_time: time.date, revision: 1 },
          texts: said.map(({ text }) => text),
        };
        const kept = { claim: answer?.claim, answer: answer?.textOf(written) ?? null };
        const row = { ...conversation, ...kept, event_id: newId(), actor_type, actor_id, message_id };
        return { said, written, row };
      });
      const created = await createConversations(
        db,
        time.text,
        planned.map(({ row }) => row),
        planned.flatMap(({ said }) => said),
      );
      wake();
      return planned.map(({ written }) => (created.has(written.conversation.id) ? written : undefined));
    },
  });
