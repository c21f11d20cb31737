import type { ActorType } from "@parley/contract";
import { type Db, groupCommit, type GroupCommit } from "@parley/database";
import type { Claim } from "../idempotency/claim.ts";
import type { Batches, Spoken, Written } from "./batch.ts";
import { changesText } from "./changes.ts";
import { changeConversations } from "./db/change.ts";
import type { ConversationRow } from "./store.ts";
import type { State } from "./transitions.ts";

/** What a conversation becomes, and the messages that go with it. */
export interface Change {
  readonly conversation: ConversationRow;
  readonly next: State;
  readonly interaction_id: string;
  readonly properties: string;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly messages: readonly Spoken[];
  /** Its answer is the last of the messages. */
  readonly claim?: Claim | undefined;
}

/** -> in place: undefined when the conversation was no longer as given, and nothing was written of it. */
const revise = async (
  { newId, stamp, place }: Batches,
  db: Db,
  changes: readonly Change[],
): Promise<(Written | undefined)[]> => {
  const time = stamp();
  const planned = changes.map(({ conversation, next, interaction_id, properties, messages, claim, ...actor }) => ({
    said: messages.map((spoken, index) => ({
      ...place(conversation, spoken, time),
      claim: index === messages.length - 1 ? claim : undefined,
    })),
    after: { ...conversation, ...next, interaction_id, properties, revision: conversation.revision + 1 },
    row: {
      id: conversation.id,
      revision: conversation.revision,
      next,
      interaction_id,
      properties,
      changes: changesText(conversation, next),
      event_id: newId(),
      actor_type: actor.actor_type,
      actor_id: actor.actor_id,
      byUser: actor.actor_type === "user",
    },
  }));
  const written = await changeConversations(
    db,
    time.text,
    planned.map(({ row }) => row),
    planned.flatMap(({ said }) => said),
  );
  return planned.map(({ said, after }) => {
    const updated_time = written.get(after.id);
    return updated_time && { conversation: { ...after, updated_time }, texts: said.map(({ text }) => text) };
  });
};

/** -> undefined when the conversation was no longer as given, and nothing was written. */
export const revisions = (batches: Batches): GroupCommit<Change, Written | undefined> =>
  groupCommit({
    keyOf: ({ conversation }) => conversation.id,
    // Two of one conversation know the same revision: only the first may come true.
    exclusive: () => true,
    async run(changes) {
      const written = await revise(batches, batches.db, changes);
      batches.wake();
      return written;
    },
  });

/** Writes a change and what belongs to it in one transaction: both or neither. */
export const revisionWith =
  (batches: Batches) =>
  async <T>(change: Change, more: (tx: Db, written: Written) => Promise<T>): Promise<T | undefined> => {
    const done = await batches.db.transaction(async (tx) => {
      const [written] = await revise(batches, tx, [change]);
      return written && more(tx, written);
    });
    batches.wake();
    return done;
  };
