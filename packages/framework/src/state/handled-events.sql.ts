import { statement, type Db } from "@parley/database";

const FIND = statement(
  "find_handled",
  "select event_id from handled_events where project = $1 and event_id = any ($2)",
);
const ADD = statement(
  "add_handled",
  "insert into handled_events (project, event_id, handled_time) select $1, unnest($2::text[]), $3 on conflict do nothing",
);
const FORGET = statement("forget_handled", "delete from handled_events where handled_time < $1");

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
