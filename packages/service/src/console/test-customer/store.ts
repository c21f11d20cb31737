import { statement, type Pool } from "@parley/database";

// The condition of the index of reference ids.
const FIND_USER = statement(
  "find_test_customer",
  `select id
     from users
    where account_id = $1 and reference_id is not null and left(reference_id, 200) = left($2, 200) and reference_id = $2
      and deleted_time is null
    order by sequence
    limit 1`,
);
const LOCK = statement(
  "lock_test_customer",
  "select pg_advisory_xact_lock(hashtext('parley.trial_user'), hashtext($1::integer || ' ' || $2::text))",
);
const LATEST = statement(
  "latest_test_customer_conversation",
  `select c.id as conversation_id, c.user_id, c.channel_id, c.status, messages.texts
     from (
       select * from conversations where user_id = $1 and account_id = $2 order by created_time desc, number desc limit 1
     ) c
    cross join lateral (
      select coalesce(string_agg(body, ',' order by seq), '') as texts
        from (
          select body, seq
            from messages
           where conversation_id = c.id and body::json ->> 'message_type' <> 'private'
           order by seq desc
           limit $3
        ) newest
    ) messages`,
);

/** A conversation of a test customer. `texts`: JSON texts of its newest messages, the oldest first, separated by commas. */
export interface TestCustomerConversationRow {
  readonly conversation_id: string;
  readonly user_id: string;
  readonly channel_id: string;
  readonly status: string;
  readonly texts: string;
}

/** Reads of an agent's test customer. */
export const testCustomerStore = ({ pool, reads }: { readonly pool: Pool; readonly reads: Pick<Pool, "one"> }) => {
  const find = async (db: Pick<Pool, "one">, accountId: number, reference: string): Promise<string | undefined> =>
    (await db.one<{ id: string }>(FIND_USER, [accountId, reference]))?.id;
  return {
    /** -> the id of the user with a reference id; undefined without such a user */
    user: (accountId: number, reference: string) => find(reads, accountId, reference),
    /** -> the id of the user with a reference id, whom `create` creates once */
    userOrNew: async (accountId: number, reference: string, create: () => Promise<string>): Promise<string> =>
      (await find(reads, accountId, reference)) ??
      pool.transaction(async (tx) => {
        await tx.rows(LOCK, [accountId, reference]);
        return (await find(tx, accountId, reference)) ?? create();
      }),
    /** -> the user's latest conversation without private messages; undefined without a conversation */
    latest: (accountId: number, userId: string, messages: number) =>
      reads.one<TestCustomerConversationRow>(LATEST, [userId, accountId, messages]),
  };
};
export type TestCustomerStore = ReturnType<typeof testCustomerStore>;
