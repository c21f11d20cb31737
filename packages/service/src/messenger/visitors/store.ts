import { MESSENGER_LIMITS, type User } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";

/** A user whom the messenger began. */
interface VisitorColumns {
  readonly account_id: number;
  readonly user_id: string;
  readonly created_time: Date;
  /** The name that the service chose; null if the site gave a name. */
  readonly generated_name: string | null;
  /** Names of the properties that pages have set. */
  readonly property_names: readonly string[];
}

/** A user, and the columns of a visitor; null for a user whom the messenger did not begin. @shape body: JSON text */
interface VisitorRow {
  readonly body: string;
  readonly generated_name: string | null;
  readonly property_names: readonly string[] | null;
}

/** Users with one reference id that a restore compares. Others with the same id can't be restored. @assumed */
const COMPARED_USERS = 10_000;

const INSERT = statement(
  "insert_visitor",
  `insert into visitors (account_id, user_id, created_time, generated_name, property_names) values ($1, $2, $3, $4, $5)`,
);
const ADD_PROPERTY_NAMES = statement(
  "add_visitor_property_names",
  `insert into visitors as present (account_id, user_id, created_time, property_names, is_begun)
   select $1, id, created_time, $3, false from users where account_id = $1 and id = $2 and deleted_time is null for key share
       on conflict (account_id, user_id)
       do update set property_names = array(select distinct unnest(present.property_names || $3::text[]))
    where not present.property_names @> $3::text[]`,
);
const FIND = statement(
  "find_visitor",
  `select u.body, v.generated_name, v.property_names
     from users u
     left join visitors v on v.account_id = u.account_id and v.user_id = u.id
    where u.account_id = $1 and u.id = $2 and u.deleted_time is null`,
);
// The condition of the index of reference ids.
const HAS_REFERENCE = `u.account_id = $1 and u.reference_id is not null and left(u.reference_id, 200) = left($2, 200) and u.reference_id = $2
          and u.deleted_time is null`;
// Hashes are compared, so that the time of the comparison says nothing about the secret.
const RESTORABLE = statement(
  "restorable_visitor",
  `select candidate.id, b.user_id is not null as is_blocked
     from (select u.id, u.account_id, u.body from users u where ${HAS_REFERENCE} limit ${COMPARED_USERS}) candidate
     left join blocked_users b on b.account_id = candidate.account_id and b.user_id = candidate.id
    where sha256(convert_to(candidate.body::json ->> 'restore_id', 'UTF8')) = $3
    limit 1`,
);
const REFERENCE_OWNER = statement("reference_owner", `select u.id from users u where ${HAS_REFERENCE} limit 1`);
// Anybody can begin a user with any reference id: only the users count whose reference id a site or a program of the account has vouched for.
const TRUSTED_OWNER = statement(
  "trusted_reference_owner",
  `select u.id, b.user_id is not null as is_blocked, (u.body::json ->> 'login_status')::boolean as is_signed
     from users u
     left join visitors v on v.account_id = u.account_id and v.user_id = u.id and v.is_begun
     left join blocked_users b on b.account_id = u.account_id and b.user_id = u.id
    where ${HAS_REFERENCE} and ((u.body::json ->> 'login_status')::boolean or v.user_id is null)
    order by is_signed desc, u.id = $3 desc, u.created_time, u.id
    limit 1`,
);
const LOCK_REFERENCE = statement(
  "lock_reference",
  "select pg_advisory_xact_lock(hashtext('parley.visitor_reference'), hashtext($1::integer || ' ' || $2::text))",
);
const IS_WITHOUT_MESSAGE = `u.reference_id is null and u.deleted_time is null
      and not exists (select from conversations c where c.user_id = u.id)`;
const FORGOTTEN = statement(
  "",
  `select v.account_id, v.user_id
     from visitors v
     join users u on u.account_id = v.account_id and u.id = v.user_id and ${IS_WITHOUT_MESSAGE}
     join accounts o on o.id = v.account_id and o.closed_time is null
    where v.created_time < $1::timestamptz - interval '${MESSENGER_LIMITS.anonymous_days} days'
    order by v.created_time
    limit $2`,
);
const IS_FORGOTTEN = statement(
  "is_forgotten_visitor",
  `select u.id from users u where u.account_id = $1 and u.id = $2 and ${IS_WITHOUT_MESSAGE}`,
);
const ERASE = statement("erase_visitor", `delete from visitors where account_id = $1 and user_id = $2`);

/** Rows of the table `visitors`, and reads of their users. */
export const visitorStore = (db: Db) => ({
  insert: ({ account_id, user_id, created_time, generated_name, property_names }: VisitorColumns) =>
    db.rows(INSERT, [account_id, user_id, created_time, generated_name, property_names]),
  /** Records that pages have set these properties, also of a restored user whom the API created. */
  addPropertyNames: (accountId: number, userId: string, names: readonly string[]) =>
    db.rows(ADD_PROPERTY_NAMES, [accountId, userId, names]),
  find: async (accountId: number, userId: string) => {
    const row = await db.one<VisitorRow>(FIND, [accountId, userId]);
    if (!row) return undefined;
    const { generated_name: generatedName, property_names } = row;
    return { user: JSON.parse(row.body) as User, generatedName, propertyNames: new Set(property_names) };
  },
  /** The user with a reference id whose restore_id has the hash. */
  restorable: (accountId: number, referenceId: string, restoreHash: Buffer) =>
    db.one<{ readonly id: string; readonly is_blocked: boolean }>(RESTORABLE, [accountId, referenceId, restoreHash]),
  /** Whether a user has the reference id. */
  isReferenceTaken: async (accountId: number, referenceId: string): Promise<boolean> =>
    (await db.one(REFERENCE_OWNER, [accountId, referenceId])) !== undefined,
  /**
   * The user with a reference id that is known to be right: a site has signed it, or the messenger did not begin the user. Of several users with
   * a signed reference id it is the given one.
   */
  trustedOwner: (accountId: number, referenceId: string, userId: string | undefined) =>
    db.one<{ readonly id: string; readonly is_blocked: boolean; readonly is_signed: boolean }>(TRUSTED_OWNER, [
      accountId,
      referenceId,
      userId ?? null,
    ]),
  /** Held until the transaction ends: of several visitors who are identified by one id at once, one keeps it. */
  lockReference: (accountId: number, referenceId: string) => db.rows(LOCK_REFERENCE, [accountId, referenceId]),
  /** Anonymous users without a message whose time is over, the oldest first. */
  forgotten: (now: Date, limit: number) =>
    db.rows<{ readonly account_id: number; readonly user_id: string }>(FORGOTTEN, [now, limit]),
  /** Whether a user is still anonymous and without a message. */
  isForgotten: async (accountId: number, userId: string): Promise<boolean> =>
    (await db.one(IS_FORGOTTEN, [accountId, userId])) !== undefined,
});

export const visitorEraser: PersonalDataEraser = {
  async user(tx, accountId, _bodies, userId) {
    await tx.rows(ERASE, [accountId, userId]);
  },
};
