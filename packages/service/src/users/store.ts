import { gather, groupCommit, statement, type Pool } from "@parley/database";
import { lines, plainArray } from "../db/arrays.ts";
import type { Claim } from "../idempotency/claim.ts";
import { claimArrays, claimTable } from "../idempotency/db/claims.ts";
import { changeStore } from "./db/change.ts";
import { listUsers } from "./db/list.ts";
import type { UserPage, UserSelection } from "./db/selection.ts";
import { removalStore } from "./db/removal.ts";

/** A user to be added, with the id and partition of the event that tells of it. `body` is the object as JSON text. */
export interface AddedUser {
  readonly id: string;
  readonly account_id: number;
  readonly created_time: string;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly reference_id?: string | undefined;
  readonly body: string;
  readonly event_id: string;
  readonly partition: number;
  /** Its answer is the body. */
  readonly claim?: Claim | undefined;
}

interface Key {
  readonly account_id: number;
  readonly id: string;
}

const ADD = statement(
  "add_users",
  `with given as (
     select * from unnest(
       $1::uuid[], $2::integer[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       string_to_array($9, e'\\n'), $10::uuid[], $11::smallint[]
     ) with ordinality as input (
       id, account_id, created_time, first_name, last_name, email, phone, reference_id, body, event_id, partition, position
     )
   ), added as (
     insert into users (id, account_id, created_time, updated_time, first_name, last_name, email, phone, reference_id, body)
     select id, account_id, created_time, created_time, first_name, last_name, email, phone, reference_id, body
       from given
      order by position
     returning id, account_id, created_time, revision
   ), kept as (
     insert into idempotency_keys (token_id, key, fingerprint, code, body, about, created_time)
     select claim.token_id, claim.key, decode(claim.fingerprint, 'hex'), claim.code, given.body, given.id, given.created_time
       from ${claimTable(12)}
       join given using (id)
      order by claim.token_id, claim.key
   )
   insert into outbox
     (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
   select nextval('log_positions'), given.event_id, added.account_id, given.partition, 'user_create', added.id,
          added.created_time, 'system', added.id, added.revision
     from added
     join given using (id)`,
);

// Each user is looked up by its key, whatever the planner believed of a table that was empty when it made its plan.
const FIND_BODIES = statement(
  "find_user_bodies",
  `select users.body
     from unnest($1::integer[], $2::uuid[]) with ordinality as asked (account_id, id, position)
     left join lateral (select * from users where users.id = asked.id limit 1) as users
       on users.account_id = asked.account_id and users.deleted_time is null
    order by asked.position`,
);

const FETCH = statement(
  "fetch_users",
  `select users.body
     from unnest($2::uuid[]) with ordinality as asked (id, position)
    cross join lateral (select * from users where users.id = asked.id limit 1) as users
    where users.account_id = $1 and users.deleted_time is null
    order by asked.position`,
);

const FIND_CONVERSATIONS = statement(
  "find_user_conversations",
  `select array(
            select conversations.id::text
              from conversations
             where conversations.user_id = users.id
             order by conversations.created_time desc, conversations.number desc
          ) as ids
     from users
    where users.account_id = $1 and users.id = $2 and users.deleted_time is null`,
);

const insertAll = async (writes: Pool, users: readonly AddedUser[]): Promise<readonly undefined[]> => {
  const column = <K extends keyof Omit<AddedUser, "claim">>(name: K) => users.map((user) => user[name] ?? null);
  await writes.rows(ADD, [
    plainArray(column("id")),
    plainArray(column("account_id")),
    plainArray(column("created_time")),
    column("first_name"),
    column("last_name"),
    column("email"),
    column("phone"),
    column("reference_id"),
    lines(users.map(({ body }) => body)),
    plainArray(column("event_id")),
    plainArray(column("partition")),
    ...claimArrays(users),
  ]);
  return users.map(() => undefined);
};

/** Rows of the tables `users` and `user_revisions`. */
export const userStore = ({
  writes,
  reads,
  pool,
  heavy,
}: {
  readonly writes: Pool;
  readonly reads: Pool;
  readonly pool: Pool;
  /** For lists that are counted and sorted anew. */
  readonly heavy: Pool;
}) => {
  const additions = groupCommit<AddedUser, undefined>({ run: (users) => insertAll(writes, users) });
  const body = gather<Key, string | null>({
    run: async (keys) => {
      const values = [plainArray(keys.map((key) => key.account_id)), plainArray(keys.map((key) => key.id))];
      return (await reads.rows<{ body: string | null }>(FIND_BODIES, values)).map((row) => row.body);
    },
  });

  return {
    /** Commits the user together with the event user_create. */
    add: (user: AddedUser) => additions.submit(user),
    /** -> null for an unknown id. */
    body: (account_id: number, id: string) => body({ account_id, id }),
    /** As asked for, less those that are unknown. */
    fetch: async (accountId: number, ids: readonly string[]) =>
      (await pool.rows<{ body: string }>(FETCH, [accountId, ids])).map((row) => row.body),
    list: (accountId: number, selection: UserSelection): Promise<UserPage> =>
      listUsers({ keyed: reads, pool: heavy }, accountId, selection),
    /** -> ids, the newest first; undefined for an unknown user. */
    conversations: async (accountId: number, id: string) =>
      (await pool.one<{ ids: string[] }>(FIND_CONVERSATIONS, [accountId, id]))?.ids,
    ...changeStore(pool),
    ...removalStore(pool),
  };
};
export type UserStore = ReturnType<typeof userStore>;
