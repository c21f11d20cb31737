import { statement, type Db, type Pool } from "@parley/database";
import type { PersonalDataEraser } from "../personal-data/eraser.ts";

/** -> the replacement; undefined: unchanged */
type Blank = (text: string) => string | undefined;

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly seq: number;
  readonly body: string;
}

interface PropertiesRow {
  readonly id: string;
  /** null: the conversation's own row. */
  readonly revision: number | null;
  readonly properties: string;
}

/** Messages per read and update. */
const MESSAGES_PER_BATCH = 500;

// Unprepared: plans made for small tables would scan large ones.
const READ_MESSAGES = statement(
  "",
  `select messages.id, messages.conversation_id, messages.seq, messages.body
     from conversations
     join messages on messages.conversation_id = conversations.id
    where conversations.user_id = $1 and (messages.conversation_id, messages.seq) > ($2, $3)
    order by messages.conversation_id, messages.seq
    limit ${MESSAGES_PER_BATCH}`,
);
const BLANK_MESSAGES = statement(
  "",
  `update messages
      set body = blanked.body
     from unnest($1::uuid[], $2::text[]) as blanked (id, body)
    where messages.id = blanked.id`,
);
const READ_PROPERTIES = statement(
  "",
  `select id, null::integer as revision, properties
     from conversations
    where user_id = $1
    union all
   select revisions.conversation_id, revisions.revision, revisions.properties
     from conversations
     join conversation_revisions revisions on revisions.conversation_id = conversations.id
    where conversations.user_id = $1`,
);
const BLANK_PROPERTIES = statement(
  "",
  `with blanked as (
     select * from unnest($1::uuid[], $2::integer[], $3::text[]) as given (id, revision, properties)
   ), present as (
     update conversations
        set properties = blanked.properties
       from blanked
      where conversations.id = blanked.id and blanked.revision is null
   )
   update conversation_revisions
      set properties = blanked.properties
     from blanked
    where conversation_revisions.conversation_id = blanked.id and conversation_revisions.revision = blanked.revision`,
);

const START_CURSOR = { conversation_id: "00000000-0000-0000-0000-000000000000", seq: 0 };

/** Blanks the messages of a user's conversations. `onBatch` receives their texts beforehand. */
const blankMessages = async (
  tx: Db,
  userId: string,
  blank: Blank,
  onBatch: (bodies: readonly string[]) => Promise<void>,
): Promise<void> => {
  let last: Pick<MessageRow, "conversation_id" | "seq"> | undefined = START_CURSOR;
  while (last) {
    const batch: MessageRow[] = await tx.rows<MessageRow>(READ_MESSAGES, [userId, last.conversation_id, last.seq]);
    await onBatch(batch.map(({ body }) => body));
    const blanked = batch.flatMap(({ id, body }) => {
      const text = blank(body);
      return text === undefined ? [] : [{ id, text }];
    });
    if (blanked.length > 0)
      await tx.rows(BLANK_MESSAGES, [blanked.map(({ id }) => id), blanked.map(({ text }) => text)]);
    last = batch.length < MESSAGES_PER_BATCH ? undefined : batch.at(-1);
  }
};

/** Blanks the properties of a user's conversations in all revisions. */
const blankProperties = async (tx: Db, userId: string, blank: Blank): Promise<void> => {
  const rows = await tx.rows<PropertiesRow>(READ_PROPERTIES, [userId]);
  const blanked = rows.flatMap(({ id, revision, properties }) => {
    const text = blank(properties);
    return text === undefined ? [] : [{ id, revision, text }];
  });
  if (blanked.length === 0) return;
  await tx.rows(BLANK_PROPERTIES, [
    blanked.map(({ id }) => id),
    blanked.map(({ revision }) => revision),
    blanked.map(({ text }) => text),
  ]);
};

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
const BLANK_CHANGES = statement(
  "blank_user_changes",
  `update outbox set changes = null where entity_id = $1 and kind = 'user_update'`,
);
const LOCK_CONVERSATIONS = statement(
  "lock_conversations_for_removal",
  `select id from conversations where user_id = $1 order by id for update`,
);
// Unprepared, as all statements over a user's conversations: plans made for small tables would scan large ones. The new
// revision fails concurrent conditional writes, so that their rules are applied again.
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
  /** Irreversibly removes all personal data. -> false for an unknown user */
  remove: <R>(
    accountId: number,
    id: string,
    blanks: Blanks<R>,
    erasers: readonly PersonalDataEraser[],
  ): Promise<boolean> =>
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
