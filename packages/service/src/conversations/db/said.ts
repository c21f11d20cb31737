import { lines, plainArray } from "../../db/arrays.ts";
import { partitionOf } from "../../events/partition.ts";
import type { Draft } from "../draft.ts";

/** A message that a batch is about to write. Its event has the same id: there is never a second one of it. */
export interface Said {
  readonly id: string;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly draft: Draft;
  /** JSON text of the message. */
  readonly text: string;
}

/** The columns of `said (id, conversation_id, partition, interaction_id, actor_type, actor_id, body)`, for `unnest`. */
export const saidArrays = (messages: readonly Said[]): readonly string[] => [
  plainArray(messages.map(({ id }) => id)),
  plainArray(messages.map(({ conversation_id }) => conversation_id)),
  plainArray(messages.map(({ conversation_id }) => partitionOf(conversation_id))),
  plainArray(messages.map(({ interaction_id }) => interaction_id)),
  plainArray(messages.map(({ draft }) => draft.actor_type)),
  plainArray(messages.map(({ draft }) => draft.actor_id)),
  lines(messages.map(({ text }) => text)),
];
