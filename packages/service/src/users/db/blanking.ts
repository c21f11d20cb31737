import { statement, type Db } from "@parley/database";

/** -> what takes the text's place; undefined: it stays as it is */
export type Blank = (text: string) => string | undefined;

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

/** Messages that are read and written at a time. */
const BATCH = 500;

// None of these is prepared: a plan that was made while a table was small would read a large one from end to end.
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

const FIRST = { conversation_id: "00000000-0000-0000-0000-000000000000", seq: 0 };

/** Blanks the messages of a user's conversations; `heard` gets their texts before that. */
export const blankMessages = async (
  tx: Db,
  userId: string,
  blank: Blank,
  heard: (bodies: readonly string[]) => Promise<void>,
): Promise<void> => {
  let last: Pick<MessageRow, "conversation_id" | "seq"> | undefined = FIRST;
  while (last) {
    const batch: MessageRow[] = await tx.rows<MessageRow>(READ_MESSAGES, [userId, last.conversation_id, last.seq]);
    await heard(batch.map(({ body }) => body));
    const blanked = batch.flatMap(({ id, body }) => {
      const text = blank(body);
      return text === undefined ? [] : [{ id, text }];
    });
    if (blanked.length > 0)
      await tx.rows(BLANK_MESSAGES, [blanked.map(({ id }) => id), blanked.map(({ text }) => text)]);
    last = batch.length < BATCH ? undefined : batch.at(-1);
  }
};

/** Blanks the properties of a user's conversations, in all their revisions. */
export const blankProperties = async (tx: Db, userId: string, blank: Blank): Promise<void> => {
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
