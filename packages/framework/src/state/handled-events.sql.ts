import { statement, type Db } from "@parley/database";

const FIND = statement(
  "find_handled",
  "SELECT event_id FROM handled_events WHERE project = $1 AND event_id = ANY ($2)",
);
const ADD = statement(
  "add_handled",
  "INSERT INTO handled_events (project, event_id, handled_time) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING",
);
const FORGET = statement("forget_handled", "DELETE FROM handled_events WHERE handled_time < $1");

/** Rows of the table `handled_events`. */
export const handledStore = (db: Db) => ({
  /** -> the ids that have been handled */
  known: async (project: string, ids: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await db.rows<{ event_id: string }>(FIND, [project, ids])).map(({ event_id }) => event_id)),
  add: async (project: string, ids: readonly string[], now: Date) => {
    await db.rows(ADD, [project, ids, now]);
  },
  forget: async (before: Date) => {
    await db.rows(FORGET, [before]);
  },
});
export type HandledStore = ReturnType<typeof handledStore>;
