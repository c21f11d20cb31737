import { statement, type Pool } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

const ADD = statement(
  "add_target",
  "insert into targets (hash, project, account, salt, sealed, created_time) values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
);
const REPLACE = statement(
  "replace_target",
  `insert into targets (hash, project, account, salt, sealed, created_time) values ($1, $2, $3, $4, $5, $6)
   on conflict (project, account) do update set hash = excluded.hash, salt = excluded.salt, sealed = excluded.sealed,
     created_time = excluded.created_time`,
);
const FIND_HASH = statement("target_of", "select hash, salt, sealed from targets where project = $1 and account = $2");
const FIND = statement("find_target", "select project, account from targets where hash = $1 and project = $2");

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
