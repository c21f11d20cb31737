import { statement, type Db } from "@parley/database";

/** Without it, plans would rest on what the tables were before, and counts of an index would look into the tables. */
const TABLES = ["users", "user_ranks", "user_rank_changes", "conversations", "messages"] as const;

/** Brings what the planner knows of the tables up to date. A table of another owner is left as it is. */
export const tidyTables = async (db: Db): Promise<void> => {
  for (const name of TABLES) await db.rows(statement("", `vacuum (analyze, skip_locked) ${name}`), []);
};
