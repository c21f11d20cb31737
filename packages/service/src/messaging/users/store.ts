import { gather, groupCommit, statement, type Db, type Pool, joinLines, arrayLiteral } from "@parley/database";
import { appendToLog, eraseChanges, traceParentOf, traceParents } from "../../base/log/store.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import {
  idempotencyRecordArrays,
  insertIdempotencyRecords,
  withIdempotencyRecords,
} from "../../http/idempotency/store.ts";
import { userChangeStore } from "./change.sql.ts";
import { listUsers } from "./list.sql.ts";
import type { UserPage, UserSelection } from "./filters.sql.ts";
import { eraseMessages, eraseProperties, reviseForErasure } from "../conversations/erase.sql.ts";
import { eraseCsatFeedback } from "../csat/store.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";

/** Replacements of personal data. JSON texts, both ways; undefined: unchanged. */
interface Blanks<R> {
  readonly now: Date;
  readonly user: (body: string) => string;
  /** Builds the redaction from the JSON texts of all revisions. */
  readonly redaction: (bodies: readonly string[]) => R;
  readonly message: (body: string, redaction: R) => string | undefined;
  readonly properties: (text: string) => string | undefined;
}

const LOCK = statement(
  "lock_user_for_removal",
  `select body from users where account_id = $1 and id = $2 and deleted_time is null for update`,
);

const BLANK_USER = statement(
  "blank_user",
  `update users
      set deleted_time = $2, body = $3, first_name = null, last_name = null, email = null, phone = null, reference_id = null
    where id = $1`,
);

const DELETE_REVISIONS = statement(
  "delete_user_revisions",
  `delete from user_revisions where user_id = $1 returning body`,
);

interface Removal {
  readonly erasers: readonly PersonalDataEraser[];
  /** Asked while the user is locked; absent: any user is removable. */
  readonly isRemovable?: ((tx: Db) => Promise<boolean>) | undefined;
}

const removalStore = (pool: Pool) => ({
  /** Irreversibly removes all personal data. -> false for an unknown user, or one that is not removable */
  remove: <R>(accountId: number, id: string, blanks: Blanks<R>, { erasers, isRemovable }: Removal): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const found = await tx.one<{ body: string }>(LOCK, [accountId, id]);
      if (!found || (isRemovable && !(await isRemovable(tx)))) return false;
      await tx.rows(BLANK_USER, [id, blanks.now, blanks.user(found.body)]);
      const before = await tx.rows<{ body: string }>(DELETE_REVISIONS, [id]);
      await eraseChanges(tx, id);
      await reviseForErasure(tx, id);
      const bodies = [found.body, ...before.map(({ body }) => body)];
      const redaction = blanks.redaction(bodies);
      for (const eraser of erasers) await eraser.user?.(tx, accountId, bodies, id);
      await eraseMessages(
        tx,
        id,
        (body) => blanks.message(body, redaction),
        async (batch) => {
          for (const eraser of erasers) await eraser.messages?.(tx, accountId, batch);
        },
      );
      await eraseProperties(tx, id, blanks.properties);
      await eraseCsatFeedback(tx, id);
      return true;
    }),
});

/** A user to be inserted, with the id and partition of its event. `body` is the object as JSON text. */
interface AddedUser {
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
  readonly trace_parent?: string | undefined;
  readonly partition: number;
  /** Its reply is the body. */
  readonly claim?: IdempotencyRecord | undefined;
}

interface Key {
  readonly account_id: number;
  readonly id: string;
}

const ADD = statement(
  "add_users",
  withIdempotencyRecords(
    (records) => `with given as (
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
     ${insertIdempotencyRecords(
       "claim",
       { body: "given.body", about: "given.id", created_time: "given.created_time" },
       `from ${records} join given using (id)`,
     )}
   )
   ${appendToLog(
     {
       id: "given.event_id",
       account_id: "added.account_id",
       partition: "given.partition",
       kind: "'user_create'",
       entity_id: "added.id",
       created_time: "added.created_time",
       actor_type: "'system'",
       user_id: "added.id",
       user_revision: "added.revision",
       trace_parent: traceParentOf(12, "given.event_id"),
     },
     "from added join given using (id)",
   )}`,
  ),
);

// Lateral lookup by key: keeps the planner from scanning, even if its statistics are from an empty table.
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
    arrayLiteral(column("id")),
    arrayLiteral(column("account_id")),
    arrayLiteral(column("created_time")),
    column("first_name"),
    column("last_name"),
    column("email"),
    column("phone"),
    column("reference_id"),
    joinLines(users.map(({ body }) => body)),
    arrayLiteral(column("event_id")),
    arrayLiteral(column("partition")),
    traceParents(users),
    ...idempotencyRecordArrays(users),
  ]);
  return users.map(() => undefined);
};

/** Statements on the tables `users` and `user_revisions`. */
export const userStore = ({
  writes,
  reads,
  pool,
  heavy,
}: {
  readonly writes: Pool;
  readonly reads: Pool;
  readonly pool: Pool;
  /** For lists that are counted and sorted per request. */
  readonly heavy: Pool;
}) => {
  const additions = groupCommit<AddedUser, undefined>({ run: (users) => insertAll(writes, users), name: "users" });
  const body = gather<Key, string | null>({
    name: "users",
    run: async (keys) => {
      const values = [arrayLiteral(keys.map((key) => key.account_id)), arrayLiteral(keys.map((key) => key.id))];
      return (await reads.rows<{ body: string | null }>(FIND_BODIES, values)).map((row) => row.body);
    },
  });

  return {
    /** Inserts the user together with the event user_create. */
    add: (user: AddedUser) => additions.submit(user),
    /** -> null for an unknown id. */
    body: (account_id: number, id: string) => body({ account_id, id }),
    /** -> bodies in the order of the ids, without unknown users. */
    fetch: async (accountId: number, ids: readonly string[]) =>
      (await pool.rows<{ body: string }>(FETCH, [accountId, ids])).map((row) => row.body),
    list: (accountId: number, selection: UserSelection): Promise<UserPage> =>
      listUsers({ keyed: reads, pool: heavy }, accountId, selection),
    /** -> conversation ids, newest first; undefined for an unknown user. */
    conversations: async (accountId: number, id: string) =>
      (await pool.one<{ ids: string[] }>(FIND_CONVERSATIONS, [accountId, id]))?.ids,
    ...userChangeStore(pool),
    ...removalStore(pool),
  };
};

export type UserStore = ReturnType<typeof userStore>;
