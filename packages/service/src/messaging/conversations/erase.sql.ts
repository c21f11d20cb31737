import { statement, type Db } from "@parley/database";

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
const BATCH = 500;

// Unprepared: plans made for small tables would scan large tables.
const READ_MESSAGES = statement(
  "",
  `select messages.id, messages.conversation_id, messages.seq, messages.body
     from conversations
     join messages on messages.conversation_id = conversations.id
    where conversations.user_id = $1 and (messages.conversation_id, messages.seq) > ($2, $3)
    order by messages.conversation_id, messages.seq
    limit ${BATCH}`,
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
export const eraseMessages = async (
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
    last = batch.length < BATCH ? undefined : batch.at(-1);
  }
};

/** Blanks the properties of a user's conversations in all revisions. */
export const eraseProperties = async (tx: Db, userId: string, blank: Blank): Promise<void> => {
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

const LOCK_CONVERSATIONS = statement(
  "lock_conversations_for_removal",
  `select id from conversations where user_id = $1 order by id for update`,
);
// Unprepared, as all statements over a user's conversations: plans made for small tables would scan large tables. The new
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

/** Locks a user's conversations and gives each its next revision, so that concurrent changes apply their rules again. */
export const reviseForErasure = async (tx: Db, userId: string): Promise<void> => {
  await tx.rows(LOCK_CONVERSATIONS, [userId]);
  await tx.rows(PASS_CONVERSATIONS_ON, [userId]);
};
