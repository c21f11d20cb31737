import type { Projection } from "../../base/log/projection.ts";
import { changeStore } from "./changes.sql.ts";
import { EVENTS_PER_FOLD, foldStore } from "./fold.sql.ts";

/** Conversations whose entries are computed anew in one transaction. @assumed */
const CONVERSATIONS_PER_BATCH = 200;

/**
 * Keeps one entry per conversation. An event changes the entry of its conversation; a conversation without an entry, and one that was
 * changed without an event, is entered anew from its messages. Conversations of earlier releases are entered while the projection is idle.
 */
export const INBOX_PROJECTION: Projection = {
  name: "inbox",
  // Under load an entry is then written once for several messages of its conversation.
  eventsPerSpan: EVENTS_PER_FOLD,
  pauses: { log: 0, backlog: 0, busy: 15 },
  async project(tx, { from, to }) {
    const store = foldStore(tx);
    await store.foldWhole(await store.foldSpan(from, to), to);
  },
  backlog: {
    async workOff(tx, cursor) {
      const [changes, folds] = [changeStore(tx), foldStore(tx)];
      const found = await changes.first(CONVERSATIONS_PER_BATCH);
      if (found.length === 0) {
        const earlier = await changes.takeBackfill(CONVERSATIONS_PER_BATCH);
        await folds.foldWhole(earlier, cursor);
        return earlier.length > 0;
      }
      const isChanged = new Map<string, boolean>();
      for (const { conversation_id, is_whole } of found)
        isChanged.set(conversation_id, is_whole || (isChanged.get(conversation_id) ?? false));
      const missing = new Set(await folds.withoutEntry([...isChanged.keys()]));
      const whole = [...isChanged].flatMap(([id, is_whole]) => (is_whole || missing.has(id) ? [id] : []));
      await folds.foldWhole(whole, cursor);
      await folds.foldProperties([...isChanged.keys()].filter((id) => !whole.includes(id)));
      await changes.remove(found.map(({ id }) => id));
      return true;
    },
    last: (db) => changeStore(db).last(),
    isDone: (db, upTo) => changeStore(db).isDone(upTo),
  },
};
