import { statement, type Db } from "@parley/database";

const FIND = statement("find_handled", "SELECT event_id FROM handled_events WHERE project = $1 AND event_id = $2");
const ADD = statement(
  "add_handled",
  "INSERT INTO handled_events (project, event_id, handled_time) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
const FORGET = statement("forget_handled", "DELETE FROM handled_events WHERE handled_time < $1");

/** Rows of the table `handled_events`. */
export const handledStore = (db: Db) => ({
  has: async (project: string, eventId: string) => (await db.one(FIND, [project, eventId])) !== undefined,
  add: async (project: string, eventId: string, now: Date) => {
    await db.rows(ADD, [project, eventId, now]);
  },
  forget: async (before: Date) => {
    await db.rows(FORGET, [before]);
  },
});
export type HandledStore = ReturnType<typeof handledStore>;
