import { statement, type Pool } from "@parley/database";
import type { Owner } from "../runtime/records/store.ts";

const ADD = statement(
  "add_target",
  "INSERT INTO targets (hash, project, account, created_time) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
);
const FIND = statement("find_target", "SELECT project, account FROM targets WHERE hash = $1 AND project = $2");

/** Rows of the table `targets`. */
export const targetStore = (pool: Pool) => ({
  add: async (hash: string, { project, account }: Owner, now: Date) => {
    await pool.one(ADD, [hash, project, account, now]);
  },
  find: (hash: string, project: string) => pool.one<Owner>(FIND, [hash, project]),
});
export type TargetStore = ReturnType<typeof targetStore>;
