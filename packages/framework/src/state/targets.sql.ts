import { statement, type Pool } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

const ADD = statement(
  "add_target",
  "INSERT INTO targets (hash, project, account, salt, sealed, created_time) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
);
const REPLACE = statement(
  "replace_target",
  `INSERT INTO targets (hash, project, account, salt, sealed, created_time) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (project, account) DO UPDATE SET hash = excluded.hash, salt = excluded.salt, sealed = excluded.sealed,
     created_time = excluded.created_time`,
);
const FIND_HASH = statement("target_of", "SELECT hash, salt, sealed FROM targets WHERE project = $1 AND account = $2");
const FIND = statement("find_target", "SELECT project, account FROM targets WHERE hash = $1 AND project = $2");

export interface ExternalEventTarget {
  readonly hash: string;
  /** Of a secret part that is derived from the key. */
  readonly salt: string;
  /** The secret part; null for one that is derived. */
  readonly sealed: string | null;
}

/** Rows of the table `targets`: one per owner. */
export const externalEventTargetStore = (pool: Pool) => ({
  of: ({ project, account }: RecordOwner) => pool.one<ExternalEventTarget>(FIND_HASH, [project, account]),
  /** Has no effect if the owner has a target. */
  add: async ({ hash, salt, sealed }: ExternalEventTarget, { project, account }: RecordOwner, now: Date) => {
    await pool.one(ADD, [hash, project, account, salt, sealed, now]);
  },
  /** Revokes the previous target. */
  replace: async ({ hash, salt, sealed }: ExternalEventTarget, { project, account }: RecordOwner, now: Date) => {
    await pool.one(REPLACE, [hash, project, account, salt, sealed, now]);
  },
  find: (hash: string, project: string) => pool.one<RecordOwner>(FIND, [hash, project]),
});
export type ExternalEventTargetStore = ReturnType<typeof externalEventTargetStore>;
