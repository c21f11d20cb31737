import type { Associations } from "@parley/contract";
import type { Schedules, KeyValueStore } from "@parley/framework/sdk";
import { findRecord, removeRecord, RECORD_TTL_SECONDS, putRecord } from "./records.ts";
import { createSchedule } from "./schedules.ts";
import { hashedName } from "./hashed-name.ts";

/** Conversations that are queued for the next opening. */

/** The kind of the schedule at an opening. */
export const OPENING_SCHEDULE_KIND = "opening";

/** A queued conversation. @shape times: ISO 8601 */
export interface QueuedConversation {
  readonly since: string;
  readonly opening: string;
  readonly channel: Pick<NonNullable<Associations["channel"]>, "id" | "name" | "locale">;
}

const keyOf = (conversation_id: string): string => `queued:${conversation_id}`;

/** A short key for an opening. */
export const openingKey = (opening: Date): string => (opening.getTime() / 1_000).toString(36);

/** Queues a conversation, or moves a queued one to another opening. */
export async function enqueue(
  { db, schedule }: { readonly db: KeyValueStore; readonly schedule: Schedules },
  conversation_id: string,
  {
    since,
    opening,
    channel,
  }: { readonly since: Date; readonly opening: Date; readonly channel: QueuedConversation["channel"] },
): Promise<void> {
  const { id, name, locale } = channel;
  const queued: QueuedConversation = {
    since: since.toISOString(),
    opening: opening.toISOString(),
    channel: { id, name, ...(locale !== undefined && { locale }) },
  };
  const seconds = Math.ceil((opening.getTime() - since.getTime()) / 1_000);
  await putRecord(db, keyOf(conversation_id), queued, Math.max(0, seconds) + RECORD_TTL_SECONDS);
  await createSchedule(schedule, {
    name: hashedName(OPENING_SCHEDULE_KIND, `${conversation_id} ${queued.opening}`),
    data: { kind: OPENING_SCHEDULE_KIND, conversation_id },
    schedule_at: queued.opening,
  });
}

export const findQueuedConversation = (
  db: KeyValueStore,
  conversation_id: string,
): Promise<QueuedConversation | undefined> => findRecord<QueuedConversation>(db, keyOf(conversation_id));

export const dequeue = (db: KeyValueStore, conversation_id: string): Promise<void> =>
  removeRecord(db, keyOf(conversation_id));
