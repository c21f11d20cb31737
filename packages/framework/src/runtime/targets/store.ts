import { statement, type Pool } from "@parley/database";
import type { RecordOwner } from "../records/store.ts";

const ADD = statement(
  "add_target",
  "INSERT INTO targets (hash, project, account, salt, created_time) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
);
const REPLACE = statement(
  "replace_target",
  `INSERT INTO targets (hash, project, account, salt, created_time) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project, account) DO UPDATE SET hash = excluded.hash, salt = excluded.salt, created_time = excluded.created_time`,
);
const FIND_HASH = statement("target_of", "SELECT hash, salt FROM targets WHERE project = $1 AND account = $2");
const FIND = statement("find_target", "SELECT project, account FROM targets WHERE hash = $1 AND project = $2");

export interface ExternalEventTarget {
  readonly hash: string;
  readonly salt: string;
}

/** Rows of the table `targets`: one per owner. */
export const externalEventTargetStore = (pool: Pool) => ({
  of: ({ project, account }: RecordOwner) => pool.one<ExternalEventTarget>(FIND_HASH, [project, account]),
  /** Has no effect if the owner has a target. */
  add: async ({ hash, salt }: ExternalEventTarget, { project, account }: RecordOwner, now: Date) => {
    await pool.one(ADD, [hash, project, account, salt, now]);
  },
  /** Revokes the previous target. */
  replace: async ({ hash, salt }: ExternalEventTarget, { project, account }: RecordOwner, now: Date) => {
    await pool.one(REPLACE, [hash, project, account, salt, now]);
  },
  find: (hash: string, project: string) => pool.one<RecordOwner>(FIND, [hash, project]),
});
export type ExternalEventTargetStore = ReturnType<typeof externalEventTargetStore>;
