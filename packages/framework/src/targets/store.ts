import { statement, type Pool } from "@parley/database";
import type { Owner } from "../runtime/records/store.ts";

const ADD = statement(
  "add_target",
  "INSERT INTO targets (hash, project, account, salt, created_time) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
);
const REPLACE = statement(
  "replace_target",
  `INSERT INTO targets (hash, project, account, salt, created_time) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project, account) DO UPDATE SET hash = excluded.hash, salt = excluded.salt, created_time = excluded.created_time`,
);
const OF = statement("target_of", "SELECT hash, salt FROM targets WHERE project = $1 AND account = $2");
const FIND = statement("find_target", "SELECT project, account FROM targets WHERE hash = $1 AND project = $2");

export interface Target {
  readonly hash: string;
  readonly salt: string;
}

/** Rows of the table `targets`: one an owner. */
export const targetStore = (pool: Pool) => ({
  of: ({ project, account }: Owner) => pool.one<Target>(OF, [project, account]),
  /** Nothing happens when the owner has one. */
  add: async ({ hash, salt }: Target, { project, account }: Owner, now: Date) => {
    await pool.one(ADD, [hash, project, account, salt, now]);
  },
  /** The one that there was ends. */
  replace: async ({ hash, salt }: Target, { project, account }: Owner, now: Date) => {
    await pool.one(REPLACE, [hash, project, account, salt, now]);
  },
  find: (hash: string, project: string) => pool.one<Owner>(FIND, [hash, project]),
});
export type TargetStore = ReturnType<typeof targetStore>;
