import { statement, type Db, type Pool } from "@parley/database";
import { blankMessages, blankProperties } from "./blanking.ts";

/** What takes the place of what is personal. JSON texts, both ways; undefined: it stays as it is. */
export interface Blanks<R> {
  readonly now: Date;
  readonly user: (body: string) => string;
  /** How to know the user by the JSON texts of all revisions. */
  readonly redaction: (bodies: readonly string[]) => R;
  readonly message: (body: string, redaction: R) => string | undefined;
  readonly properties: (text: string) => string | undefined;
}

/** Another part that keeps something of users: it takes that away in the removal's transaction. */
export interface Eraser {
  /** @shape bodies: the user's JSON texts, of all revisions */
  readonly user?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
  /** Called for each batch before it is blanked. @shape bodies: JSON texts of messages of the user's conversations, by anybody */
  readonly messages?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
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
const BLANK_CHANGES = statement(
  "blank_user_changes",
  `update outbox set changes = null where entity_id = $1 and kind = 'user_update'`,
);
const LOCK_CONVERSATIONS = statement(
  "lock_conversations_for_removal",
  `select id from conversations where user_id = $1 order by id for update`,
);
// Not prepared, as whatever reads all of a user's conversations: a plan of a small table would read a large one from end to end.
// A message under way saw the conversation in the revision before: it is not written then, and its rules are asked again.
const PASS_CONVERSATIONS_ON = statement(
  "",
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
const BLANK_FEEDBACK = statement(
  "",
  `update csat
      set additional_feedback = null
     from conversations
    where conversations.user_id = $1 and csat.conversation_id = conversations.id and csat.additional_feedback is not null`,
);

export const removalStore = (pool: Pool) => ({
  /** Takes everything personal away, for good. -> false for an unknown user. */
  remove: <R>(accountId: number, id: string, blanks: Blanks<R>, erasers: readonly Eraser[]): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const found = await tx.one<{ body: string }>(LOCK, [accountId, id]);
      if (!found) return false;
      await tx.rows(BLANK_USER, [id, blanks.now, blanks.user(found.body)]);
      const before = await tx.rows<{ body: string }>(DELETE_REVISIONS, [id]);
      await tx.rows(BLANK_CHANGES, [id]);
      await tx.rows(LOCK_CONVERSATIONS, [id]);
      await tx.rows(PASS_CONVERSATIONS_ON, [id]);
      const bodies = [found.body, ...before.map(({ body }) => body)];
      const redaction = blanks.redaction(bodies);
      for (const eraser of erasers) await eraser.user?.(tx, accountId, bodies);
      await blankMessages(
        tx,
        id,
        (body) => blanks.message(body, redaction),
        async (batch) => {
          for (const eraser of erasers) await eraser.messages?.(tx, accountId, batch);
        },
      );
      await blankProperties(tx, id, blanks.properties);
      await tx.rows(BLANK_FEEDBACK, [id]);
      return true;
    }),
});
