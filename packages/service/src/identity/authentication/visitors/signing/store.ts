import type { SignedIdentityRules, SigningAlgorithm } from "@parley/contract";
import { statement, type Db } from "@parley/database";

/** A key of an account. @shape secret: sealed; public_key: PEM. One of them is not null */
export interface SigningKeyRow {
  readonly id: string;
  readonly account_id: number;
  readonly name: string;
  readonly algorithm: SigningAlgorithm;
  readonly secret: string | null;
  readonly public_key: string | null;
  readonly created_time: Date;
  readonly created_by: string | null;
  readonly last_used_time: Date | null;
}

const COLUMNS = "id, account_id, name, algorithm, secret, public_key, created_time, created_by, last_used_time";

const LOCK_ACCOUNT = statement("lock_signed_identities", "select id from accounts where id = $1 for no key update");
const LIST = statement(
  "list_signing_keys",
  `select ${COLUMNS} from messenger_signing_keys where account_id = $1 order by created_time, id`,
);
const INSERT = statement(
  "insert_signing_key",
  `insert into messenger_signing_keys (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, null)`,
);
const REMOVE = statement(
  "remove_signing_key",
  "delete from messenger_signing_keys where account_id = $1 and id = $2 returning name, algorithm",
);
const HOLD = statement(
  "hold_signing_key",
  "select last_used_time from messenger_signing_keys where account_id = $1 and id = $2 for key share",
);
/** The time of the last use is exact to the hour, so that most uses write nothing. */
const TOUCH = statement(
  "touch_signing_key",
  `update messenger_signing_keys set last_used_time = $3
    where account_id = $1 and id = $2 and (last_used_time is null or last_used_time < $3::timestamptz - interval '1 hour')`,
);
const RULES = statement(
  "signed_identity_rules",
  "select is_required, is_hidden_until_signed from signed_identity_rules where account_id = $1",
);
const PUT_RULES = statement(
  "put_signed_identity_rules",
  `insert into signed_identity_rules (account_id, is_required, is_hidden_until_signed) values ($1, $2, $3)
       on conflict (account_id)
       do update set (is_required, is_hidden_until_signed) = (excluded.is_required, excluded.is_hidden_until_signed)`,
);

const INITIAL_RULES: SignedIdentityRules = { is_required: false, is_hidden_until_signed: false };

/** Rows of the tables `messenger_signing_keys` and `signed_identity_rules`. */
export const signingKeyStore = (db: Db) => ({
  /** Blocks other changes of the account's keys and rules until the transaction ends. */
  lock: (accountId: number) => db.one(LOCK_ACCOUNT, [accountId]),
  list: (accountId: number) => db.rows<SigningKeyRow>(LIST, [accountId]),
  insert: (key: Omit<SigningKeyRow, "last_used_time">) =>
    db.rows(INSERT, [
      ...[key.id, key.account_id, key.name, key.algorithm, key.secret, key.public_key],
      ...[key.created_time, key.created_by],
    ]),
  /** -> undefined for an unknown key */
  remove: (accountId: number, id: string) => db.one<Pick<SigningKeyRow, "name" | "algorithm">>(REMOVE, [accountId, id]),
  /** Notes a use of a key, which can't be removed until the transaction ends. -> false if it was removed before */
  async use(accountId: number, id: string, now: Date): Promise<boolean> {
    if (!(await db.one(HOLD, [accountId, id]))) return false;
    await db.rows(TOUCH, [accountId, id, now]);
    return true;
  },
  rules: async (accountId: number): Promise<SignedIdentityRules> =>
    (await db.one<SignedIdentityRules>(RULES, [accountId])) ?? INITIAL_RULES,
  putRules: (accountId: number, { is_required, is_hidden_until_signed }: SignedIdentityRules) =>
    db.rows(PUT_RULES, [accountId, is_required, is_hidden_until_signed]),
});
