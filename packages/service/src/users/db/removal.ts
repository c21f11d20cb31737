import { statement, type Db, type Pool } from "@parley/database";

/** What takes the place of what is personal. */
export interface Blanks {
  readonly now: Date;
  readonly user: (body: string) => string;
  /** -> undefined for a message that somebody else wrote. */
  readonly message: (body: string) => string | undefined;
}

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly seq: number;
  readonly body: string;
}

/** Messages that are read and written at a time. */
const BATCH = 500;

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
const DELETE_REVISIONS = statement("delete_user_revisions", `delete from user_revisions where user_id = $1`);
const BLANK_CHANGES = statement(
  "blank_user_changes",
  `update outbox set changes = null where entity_id = $1 and kind = 'user_update'`,
);
const LOCK_CONVERSATIONS = statement(
  "lock_conversations_for_removal",
  `select id from conversations where user_id = $1 order by id for update`,
);
// A message under way saw the conversation in the revision before: it is not written then, and its rules are asked again.
const PASS_CONVERSATIONS_ON = statement(
  "pass_conversations_on",
  `with passed as (
     update conversations set revision = revision + 1 where user_id = $1 returning id
   )
   insert into conversation_revisions
     (conversation_id, revision, status, assigned_agent_id, assigned_group_id, interaction_id, properties)
   select before.id, before.revision, before.status, before.assigned_agent_id, before.assigned_group_id,
          before.interaction_id, before.properties
     from passed
     join conversations before on before.id = passed.id`,
);
const READ_MESSAGES = statement(
  "read_user_messages",
  `select messages.id, messages.conversation_id, messages.seq, messages.body
     from conversations
     join messages on messages.conversation_id = conversations.id
    where conversations.user_id = $1 and (messages.conversation_id, messages.seq) > ($2, $3)
    order by messages.conversation_id, messages.seq
    limit ${BATCH}`,
);
const BLANK_MESSAGES = statement(
  "blank_messages",
  `update messages
      set body = blanked.body
     from unnest($1::uuid[], $2::text[]) as blanked (id, body)
    where messages.id = blanked.id`,
);

const FIRST = { conversation_id: "00000000-0000-0000-0000-000000000000", seq: 0 };

const blankMessages = async (tx: Db, userId: string, blank: Blanks["message"]): Promise<void> => {
  let last: Pick<MessageRow, "conversation_id" | "seq"> | undefined = FIRST;
  while (last) {
    const batch: MessageRow[] = await tx.rows<MessageRow>(READ_MESSAGES, [userId, last.conversation_id, last.seq]);
    const own = batch.flatMap(({ id, body }) => {
      const blanked = blank(body);
      return blanked === undefined ? [] : [{ id, blanked }];
    });
    if (own.length > 0) await tx.rows(BLANK_MESSAGES, [own.map(({ id }) => id), own.map(({ blanked }) => blanked)]);
    last = batch.length < BATCH ? undefined : batch.at(-1);
  }
};

export const removalStore = (pool: Pool) => ({
  /** Takes everything personal away, for good. -> false for an unknown user. */
  remove: (accountId: number, id: string, blanks: Blanks) =>
    pool.transaction(async (tx) => {
      const found = await tx.one<{ body: string }>(LOCK, [accountId, id]);
      if (!found) return false;
      await tx.rows(BLANK_USER, [id, blanks.now, blanks.user(found.body)]);
      await tx.rows(DELETE_REVISIONS, [id]);
      await tx.rows(BLANK_CHANGES, [id]);
      await tx.rows(LOCK_CONVERSATIONS, [id]);
      await tx.rows(PASS_CONVERSATIONS_ON, [id]);
      await blankMessages(tx, id, blanks.message);
      return true;
    }),
});
